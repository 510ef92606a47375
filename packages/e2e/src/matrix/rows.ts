import type { Kind } from '../listeners.ts'
import type { Name } from './users.ts'
import type { Fixture } from './fixture.ts'

/**
 * An action, and the events it causes with all their recipients. Nobody else may receive an event, and the action may
 * cause no other.
 */
export type Row = {
  what: string
  act: (fixture: Fixture) => Promise<unknown>
  receives: [kind: Kind, who: Name[]][]
  closesSocketsOf?: Name[]
}

export const row = (what: string, act: Row['act'], ...receives: Row['receives']): Row => ({ what, act, receives })
