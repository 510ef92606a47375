import { claimFailedAfterMs, keptMs } from './limits.ts'

type Claimed = {
  roomId: string
  ownerId: string
  createdAt: Date
  posted: boolean
  claimEventId: string | null
  claimedAt: Date | null
}
type Claim = { roomId: string; userId: string; eventId: string; now: Date }

/**
 * Whether a message may attach a file. The file must belong to its author and its room, must not be too old, and must
 * not be claimed by another message. A claim whose message did not arrive within a minute belongs to a failed post, and
 * the author may use the file again; if that message arrives after all, messaging gives the file to one of the two.
 */
export function isClaimable(asset: Claimed, { roomId, userId, eventId, now }: Claim): boolean {
  if (asset.roomId !== roomId || asset.ownerId !== userId) return false
  if (asset.claimEventId === eventId) return true
  if (asset.posted || now.getTime() - asset.createdAt.getTime() >= keptMs) return false
  return asset.claimedAt === null || now.getTime() - asset.claimedAt.getTime() >= claimFailedAfterMs
}
