import { dropOldVersions } from '../store/room-events.ts'
import type { Connection } from '../store/statement.ts'

const versionsPerStatement = 5_000

export async function dropRoomEventVersions(on: Connection, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await dropOldVersions(on, versionsPerStatement)) === versionsPerStatement);
}
