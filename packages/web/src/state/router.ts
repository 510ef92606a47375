import { Cell } from './cell.ts'
import { pane } from './overlay.ts'

/** What the address of the page names. */
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

/** What a path of this client means. */
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

/** The path of a room, or of a thread of it; and of a message in it, to be shown first. */
export function pathOf(roomId: string, threadRootEventId = '', highlight = ''): string {
  const parts = [roomId, threadRootEventId].filter((part) => part !== '').map(encodeURIComponent)
  const query = highlight === '' ? '' : `?${new URLSearchParams({ highlight }).toString()}`
  return `/chat/-/${parts.join('/')}${query}`
}

/** Where this page is. */
export const route = new Cell<Route>(routeOf('/'))

/** Follows the address of the page; the answer stops that. */
export function followAddress(): () => void {
  const follow = () => {
    pane.set(undefined)
    route.set(routeOf(location.pathname, location.search))
  }
  follow()
  addEventListener('popstate', follow)
  return () => removeEventListener('popstate', follow)
}

/** Goes to a path of this client. */
export function goTo(path: string): void {
  const { pathname, search } = new URL(path, location.origin)
  pane.set(undefined)
  if (pathname + search === location.pathname + location.search) return
  history.pushState(undefined, '', path)
  route.set(routeOf(pathname, search))
}

/** Says in the address what is shown where none was named; what was opened meanwhile stays, and there is no way back to nowhere. */
export function settleAt(path: string): void {
  history.replaceState(undefined, '', path)
  route.set(routeOf(location.pathname, location.search))
}

/** For links of this client: a plain click stays in the page, everything else is the browser's. */
export function onLink(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  goTo(event.currentTarget.pathname + event.currentTarget.search)
}
