import type { Client } from '@connectrpc/connect'
import type { AdminInternalService } from '@parley/contracts/internal'
import { adminUnavailable } from '../errors.ts'

/** Owners may still post. Called before the room exists, so that nobody else can post even for a moment. */
export async function denyPosting(
  admin: Client<typeof AdminInternalService>,
  roomId: string,
  actorId: string,
): Promise<void> {
  await admin.denyPosting({ roomId, actorId }, { timeoutMs: 3000 }).catch((error: unknown) => {
    throw adminUnavailable(error)
  })
}

/** Owners are exempt. Called before a private room is created, and again when a repeated import finds the room. */
export async function denyEntry(admin: Client<typeof AdminInternalService>, roomId: string): Promise<void> {
  await admin.denyEntry({ roomId }, { timeoutMs: 3000 }).catch((error: unknown) => {
    throw adminUnavailable(error)
  })
}
