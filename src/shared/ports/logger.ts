/**
 * Structured log of one process. Nothing a model wrote and nothing a tool returned goes into it (SE-1): IDs, numbers,
 * states and codes alone.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}
