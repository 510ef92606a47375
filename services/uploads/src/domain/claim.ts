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
 * Whether a message may attach a file: its author's own, of its room, not too old and of no other message. A claim whose
 * message did not come in a minute is that of a failed post, and the author may use the file again; should the message
 * come all the same, messaging lets one of the two have it.
 */
export function isClaimable(asset: Claimed, { roomId, userId, eventId, now }: Claim): boolean {
  if (asset.roomId !== roomId || asset.ownerId !== userId) return false
  if (asset.claimEventId === eventId) return true
  if (asset.posted || now.getTime() - asset.createdAt.getTime() >= keptMs) return false
  return asset.claimedAt === null || now.getTime() - asset.claimedAt.getTime() >= claimFailedAfterMs
}
