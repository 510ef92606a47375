import type { Kind } from '../listeners.ts'
import type { Name } from './cast.ts'
import type { Stage } from './stage.ts'

/** Something done, and each event it causes with everybody who hears it; nobody else may, and nothing else is heard. */
export type Row = {
  what: string
  act: (stage: Stage) => Promise<unknown>
  hears: [kind: Kind, who: Name[]][]
  /** Whose sockets are closed by it. */
  ends?: Name[]
}

export const row = (what: string, act: Row['act'], ...hears: Row['hears']): Row => ({ what, act, hears })
