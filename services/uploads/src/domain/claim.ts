import { claimFailedAfterMs, keptMs } from './limits.ts'

type ClaimableFile = {
  roomId: string
  ownerId: string
  createdAt: Date
  posted: boolean
  claimEventId: string | null
  claimedAt: Date | null
}
type Claim = { roomId: string; userId: string; eventId: string; now: Date }

/**
 * The file must belong to the message's author and room. Unless this message has claimed the file already, the file
 * must be younger than a day, and neither posted nor claimed by another message. If a claiming message has not arrived
 * within a minute, its post has probably failed, and the author may use the file again. If the message arrives after
 * all, messaging gives the file to one of the two messages.
 */
export function isClaimable(asset: ClaimableFile, { roomId, userId, eventId, now }: Claim): boolean {
  if (asset.roomId !== roomId || asset.ownerId !== userId) return false
  if (asset.claimEventId === eventId) return true
  if (asset.posted || now.getTime() - asset.createdAt.getTime() >= keptMs) return false
  return asset.claimedAt === null || now.getTime() - asset.claimedAt.getTime() >= claimFailedAfterMs
}
