import { expect, test } from '@jest/globals'
import { Cell } from '../state/cell.ts'
import { catchUpWhenOpen } from './catch-up-when-open.ts'
import type { PendingFiles } from './pending-files.ts'
import type { People } from './people.ts'
import type { Sender } from './sender.ts'
import type { Connection } from './shared-events.ts'

test.each<[Connection, string[]]>([
  ['connecting', ['send', 'upload', 'send', 'upload', 'presence']],
  // The connection may be open before anything subscribes.
  ['open', ['send', 'upload', 'presence']],
])(
  'initially %s: waiting messages and failed uploads continue on every open, presence is reloaded on every reopen',
  (first, expected) => {
    const done: string[] = []
    const sender = { sendWaiting: () => void done.push('send') } as Sender
    const files = { resumeFailed: () => void done.push('upload') } as PendingFiles
    const people = { reloadPresence: () => void done.push('presence') } as People
    const connection = new Cell<Connection>(first)
    catchUpWhenOpen(connection, { sender, files, people })
    for (const next of ['open', 'lost', 'open'] as const) connection.set(next)
    expect(done).toEqual(expected)
  },
)
