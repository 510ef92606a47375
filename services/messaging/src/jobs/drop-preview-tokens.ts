import { dropExpiredPreviewTokens } from '../store/preview-tokens.ts'
import type { Connection } from '../store/statement.ts'

const tokensPerStatement = 5_000

export async function dropPreviewTokens(on: Connection, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await dropExpiredPreviewTokens(on, tokensPerStatement)) === tokensPerStatement);
}
