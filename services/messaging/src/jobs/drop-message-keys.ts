import type { Db } from '@parley/postgres'
import { dropOldMessageKeys } from '../store/message-keys.ts'

const keysPerStatement = 5_000

export async function dropMessageKeys(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await dropOldMessageKeys(db, keysPerStatement)) === keysPerStatement);
}
