import type { Chat } from './chat.ts'

/** Sets the user's custom status, or clears it if `wanted` is undefined. With 0 minutes it stays until it is changed. */
export async function setCustomStatus(
  chat: Chat,
  wanted: { emoji: string; text: string; minutes: number } | undefined,
): Promise<void> {
  const { myAccount } = chat.server.api
  if (!wanted) {
    await myAccount.deleteCustomStatus({})
    return chat.people.clearCustomStatus(chat.userId)
  }
  const { emoji, text, minutes } = wanted
  const seconds = BigInt(Math.round(Date.now() / 1_000) + minutes * 60)
  const { status } = await myAccount.updateCustomStatus({ emoji, text, ...(minutes > 0 && { expiresAt: { seconds } }) })
  if (status) chat.people.patch(chat.userId, { customStatus: status })
}
