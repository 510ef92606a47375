import { shortcutsKey, takesKeys } from '../state/keys-for-field.ts'
import { dialog } from '../state/overlay.ts'
import { goTo, pathOf, route } from '../state/router.ts'
import type { Chat } from './chat.ts'

/** The shortcuts dialog lists these keys. */
export function onShortcut(chat: Chat, event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented) return
  const command = event.ctrlKey || event.metaKey
  if (command && event.key === 'k') dialog.set({ kind: 'switcher' })
  else if ((command && event.key === '/') || (event.key === shortcutsKey && !takesKeys(event.target)))
    dialog.set({ kind: 'shortcuts' })
  else if (event.altKey && event.key === 'ArrowDown') goToUnread(chat, 1)
  else if (event.altKey && event.key === 'ArrowUp') goToUnread(chat, -1)
  else return
  event.preventDefault()
}

/** Goes to the next or previous unread room, in the order of the sidebar. */
function goToUnread({ rooms }: Chat, step: 1 | -1): void {
  const { groups, dms, rooms: known } = rooms.sidebar.value
  const listed = groups.flatMap(({ items }) => items.flatMap((item) => (item.kind === 'room' ? [item.roomId] : [])))
  const all = [...listed, ...dms]
  const here = all.indexOf(route.value.roomId ?? '')
  const order = all.map((_, at) => all[(here + step * (at + 1) + 2 * all.length) % all.length])
  const next = order.find((id) => id !== undefined && known.get(id)?.viewerState?.hasUnread)
  if (next !== undefined) goTo(pathOf(next))
}
