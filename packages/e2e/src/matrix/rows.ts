import type { Kind } from '../listeners.ts'
import type { Name } from './cast.ts'
import type { Stage } from './stage.ts'

/**
 * An action, and each event it causes with all recipients; nobody else may receive it, and no other event may occur.
 */
export type Row = {
  what: string
  act: (stage: Stage) => Promise<unknown>
  receives: [kind: Kind, who: Name[]][]
  /** People whose sockets it closes. */
  ends?: Name[]
}

export const row = (what: string, act: Row['act'], ...receives: Row['receives']): Row => ({ what, act, receives })
