import type { Client } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import { adminSilent } from '../errors.ts'

/** Stored before the room exists, so that people cannot post there even for a moment. */
export async function denyPosting(
  admin: Client<typeof AdminInternalService>,
  roomId: string,
  actorId: string,
): Promise<void> {
  await admin.denyPosting({ roomId, actorId }, { timeoutMs: 3000 }).catch((error: unknown) => {
    throw adminSilent(error)
  })
}

/** The same for finding and joining a private room. */
export async function denyEntry(admin: Client<typeof AdminInternalService>, roomId: string): Promise<void> {
  await admin.denyEntry({ roomId }, { timeoutMs: 3000 }).catch((error: unknown) => {
    throw adminSilent(error)
  })
}
