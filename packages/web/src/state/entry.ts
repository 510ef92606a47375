import { isChatPath } from './router.ts'

export type EntryPage =
  | { at: 'chat' }
  | { at: 'nowhere' }
  | { at: 'login'; error: string | undefined }
  | { at: 'register' }
  | { at: 'resetPassword'; token: string }
  | { at: 'invite'; token: string }
  | { at: 'identity'; token: string }
  | { at: 'consent' }

export function entryPageOf({ pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>): EntryPage {
  const query = new URLSearchParams(search)
  switch (pathname) {
    case '/login':
      return { at: 'login', error: query.get('error') ?? undefined }
    case '/register':
      return { at: 'register' }
    case '/reset-password':
      return { at: 'resetPassword', token: query.get('token') ?? '' }
    case '/invite':
      return { at: 'invite', token: hash.slice(1) }
    case '/sso/confirm':
      return { at: 'identity', token: query.get('token') ?? '' }
    case '/oauth/consent':
      return { at: 'consent' }
    default:
      return { at: isChatPath(pathname) ? 'chat' : 'nowhere' }
  }
}
