import { Cell } from './cell.ts'

/** Whether the user has just deleted their account in this browser; the sign-in page then says so. */
export const accountDeleted = new Cell(false)

const channelOf = (userId: string) => new BroadcastChannel(`parley.account.${userId}`)

export function setAccountDeleted(userId: string, isDeleted: boolean): void {
  accountDeleted.set(isDeleted)
  const channel = channelOf(userId)
  channel.postMessage(isDeleted)
  channel.close()
}

/** Resets {@link accountDeleted}, and follows its changes in other tabs until the returned function is called. */
export function followAccountDeleted(userId: string): () => void {
  accountDeleted.set(false)
  const channel = channelOf(userId)
  channel.onmessage = ({ data }: MessageEvent<boolean>) => accountDeleted.set(data)
  return () => channel.close()
}
