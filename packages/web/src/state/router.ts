import { Cell } from './cell.ts'
import { pane } from './overlay.ts'

/** Content of the page's address. */
export type Route = {
  roomId: string | undefined
  threadRootEventId: string | undefined
  highlight: string | undefined
  /** Undefined: not a page of administration. */
  managed: ManagedPlace | undefined
}

const sections = ['people', 'invites', 'rooms', 'server', 'start'] as const
/** A part of administration. */
export type ManageSection = (typeof sections)[number]
/** A page of administration; `id`: the person or the room that it is about. */
export type ManagedPlace = { section: ManageSection; id: string | undefined }

/** Whether the chat or its administration has a page at a path. */
export function isChatPath(path: string): boolean {
  if (/^\/(?:chat\/?|manage\/?)?$/.test(path)) return true
  try {
    const { roomId, managed } = routeOf(path)
    return roomId !== undefined || managed !== undefined
  } catch {
    // Not a valid encoding.
    return false
  }
}

/** Parses a path of this client. */
export function routeOf(path: string, search = ''): Route {
  const [, roomId, threadRootEventId] = /^\/chat\/-\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? []
  const decoded = (part: string | undefined) => (part === undefined ? undefined : decodeURIComponent(part))
  return {
    roomId: decoded(roomId),
    threadRootEventId: decoded(threadRootEventId),
    highlight: new URLSearchParams(search).get('highlight') ?? undefined,
    managed: managedPlaceOf(path),
  }
}

function managedPlaceOf(path: string): ManagedPlace | undefined {
  const [, named, id] = /^\/manage\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? []
  const section = sections.find((one) => one === named)
  return section && { section, id: id === undefined ? undefined : decodeURIComponent(id) }
}

/** The path of a page of administration. */
export const managePath = (section: ManageSection, id = ''): string =>
  `/manage/${section}${id === '' ? '' : `/${encodeURIComponent(id)}`}`

/** The path of a room, or of a thread in it, optionally with a message to show first. */
export function pathOf(roomId: string, threadRootEventId = '', highlight = ''): string {
  const parts = [roomId, threadRootEventId].filter((part) => part !== '').map(encodeURIComponent)
  const query = highlight === '' ? '' : `?${new URLSearchParams({ highlight }).toString()}`
  return `/chat/-/${parts.join('/')}${query}`
}

/** The current address. */
export const route = new Cell<Route>(routeOf('/'))

/** Follows the address of the page; the returned function stops that. */
export function followAddress(): () => void {
  const follow = () => {
    pane.set(undefined)
    route.set(routeOf(location.pathname, location.search))
  }
  follow()
  addEventListener('popstate', follow)
  return () => removeEventListener('popstate', follow)
}

/** Navigates to a path of this client. */
export function goTo(path: string): void {
  const { pathname, search } = new URL(path, location.origin)
  pane.set(undefined)
  if (pathname + search === location.pathname + location.search) return
  history.pushState(undefined, '', path)
  route.set(routeOf(pathname, search))
}

/**
 * Puts the default room into the address if the address names none. Replaces the history entry, so that Back does not
 * lead to the empty address.
 */
export function settleAt(path: string): void {
  history.replaceState(undefined, '', path)
  route.set(routeOf(location.pathname, location.search))
}

/** For links inside this client: a plain click stays in the page, other clicks are left to the browser. */
export function onLink(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  goTo(event.currentTarget.pathname + event.currentTarget.search)
}
