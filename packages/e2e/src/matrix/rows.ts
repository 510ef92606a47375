import type { Kind } from '../listeners.ts'
import type { Name } from './users.ts'
import type { Fixture } from './fixture.ts'

/**
 * An action, and each event it causes with all its recipients. Nobody else may receive the event, and the action may
 * cause no other.
 */
export type Row = {
  what: string
  act: (fixture: Fixture) => Promise<unknown>
  receives: [kind: Kind, who: Name[]][]
  /** Users whose sockets the action closes. */
  closesSocketsOf?: Name[]
}

export const row = (what: string, act: Row['act'], ...receives: Row['receives']): Row => ({ what, act, receives })
