/** Colours, or none: decided once per stream and passed on, so that rendering itself stays pure. */
import picocolors from 'picocolors';

type Paint = (text: string) => string;

export interface Palette {
  bold: Paint;
  dim: Paint;
  good: Paint;
  warning: Paint;
  bad: Paint;
  accent: Paint;
}

/** Where text is shown: `width` in columns. */
export interface View {
  width: number;
  palette: Palette;
}

export interface OutputStream {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
}

const PIPED_WIDTH = 100;
const MIN_WIDTH = 40;
const MAX_WIDTH = 110;

export function palette(color: boolean): Palette {
  const colors = picocolors.createColors(color);
  return {
    bold: (text) => colors.bold(text),
    dim: (text) => colors.dim(text),
    good: (text) => colors.green(text),
    warning: (text) => colors.yellow(text),
    bad: (text) => colors.red(text),
    accent: (text) => colors.cyan(text),
  };
}

/** Colour only on a terminal that has it, and never with NO_COLOR (https://no-color.org: set and not empty). */
export function viewOf(stream: OutputStream, env: Readonly<Record<string, string | undefined>>): View {
  const terminal = stream.isTTY === true;
  const color = terminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const columns =
    terminal && stream.columns !== undefined && stream.columns > 0 ? stream.columns : PIPED_WIDTH;
  return { width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns)), palette: palette(color) };
}
