import { Cell } from './cell.ts'
import { pane } from './overlay.ts'

export type Route = {
  roomId: string | undefined
  threadRootEventId: string | undefined
  highlight: string | undefined
  /** Undefined outside the administration. */
  managed: ManagedPage | undefined
}

const sections = ['people', 'invites', 'rooms', 'server', 'first-steps'] as const
export type ManageSection = (typeof sections)[number]
/** `id`: the person or room that the page shows, if any. */
export type ManagedPage = { section: ManageSection; id: string | undefined }

export function isChatPath(path: string): boolean {
  if (/^\/(?:chat\/?|manage\/?)?$/.test(path)) return true
  try {
    const { roomId, managed } = routeOf(path)
    return roomId !== undefined || managed !== undefined
  } catch {
    return false
  }
}

export function routeOf(path: string, search = ''): Route {
  const [, roomId, threadRootEventId] = /^\/chat\/-\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? []
  const decode = (part: string | undefined) => (part === undefined ? undefined : decodeURIComponent(part))
  return {
    roomId: decode(roomId),
    threadRootEventId: decode(threadRootEventId),
    highlight: new URLSearchParams(search).get('highlight') ?? undefined,
    managed: managedPageOf(path),
  }
}

function managedPageOf(path: string): ManagedPage | undefined {
  const [, named, id] = /^\/manage\/([^/]+)(?:\/([^/]+))?\/?$/.exec(path) ?? []
  const section = sections.find((one) => one === named)
  return section && { section, id: id === undefined ? undefined : decodeURIComponent(id) }
}

export const managePath = (section: ManageSection, id = ''): string =>
  `/manage/${section}${id === '' ? '' : `/${encodeURIComponent(id)}`}`

/** `highlight`: id of the message to scroll to. */
export function pathOf(roomId: string, threadRootEventId = '', highlight = ''): string {
  const parts = [roomId, threadRootEventId].filter((part) => part !== '').map(encodeURIComponent)
  const query = highlight === '' ? '' : `?${new URLSearchParams({ highlight }).toString()}`
  return `/chat/-/${parts.join('/')}${query}`
}

export const route = new Cell<Route>(routeOf('/'))

export function followAddress(): () => void {
  const follow = () => {
    pane.set(undefined)
    route.set(routeOf(location.pathname, location.search))
  }
  follow()
  addEventListener('popstate', follow)
  return () => removeEventListener('popstate', follow)
}

export function goTo(path: string): void {
  const { pathname, search } = new URL(path, location.origin)
  pane.set(undefined)
  if (pathname + search === location.pathname + location.search) return
  history.pushState(undefined, '', path)
  route.set(routeOf(pathname, search))
}

/** Replaces the history entry, so that Back does not return to a URL without a room. */
export function settleAt(path: string): void {
  history.replaceState(undefined, '', path)
  route.set(routeOf(location.pathname, location.search))
}

/** Handles clicks on links inside this client without loading a page. */
export function onLink(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  goTo(event.currentTarget.pathname + event.currentTarget.search)
}
