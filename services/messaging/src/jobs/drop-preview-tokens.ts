import { dropExpiredPreviewTokens } from '../store/preview-tokens.ts'
import type { Connection } from '../store/statement.ts'

const tokensPerStatement = 5_000

/** Deletes tokens of link previews after half an hour. */
export async function dropPreviewTokens(on: Connection, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await dropExpiredPreviewTokens(on, tokensPerStatement)) === tokensPerStatement);
}
