/**
 * Identifiers. Shapes are part of the public contract (requirement ID-2 for tool call IDs).
 */
import { z } from 'zod';

/** `run-<uuid v7>`. */
export const RunId = z
  .string()
  .regex(/^run-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

/** `ses-<uuid v7>`, or whatever a client brings: 1–64 characters of `A-Z a-z 0-9 _ -`. */
export const SessionId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** The ID in the model's own tool-call message (ID-1, ID-2): 1–128 safe characters. */
export const ToolCallId = z.string().regex(/^[A-Za-z0-9\-_.:]{1,128}$/);

/** RFC 3339 date-time with an offset. */
export const Timestamp = z.iso.datetime({ offset: true });

/** RFC 3339 date-time in UTC, milliseconds at most: the form that sworn itself writes. */
export const UtcTimestamp = z.iso.datetime();
