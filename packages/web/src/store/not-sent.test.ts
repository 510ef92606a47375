import { expect, test } from '@jest/globals'
import { notSentIn } from './not-sent.ts'
import type { Unsent } from './unsent.ts'

const unsent = (roomId: string, threadRootEventId: string, state: Unsent['state']) =>
  ({ roomId, threadRootEventId, state }) as Unsent

test('rooms and threads with refused messages or files are listed once', () => {
  const queue = [
    unsent('R1', '', 'refused'),
    unsent('R1', 'M1', 'refused'),
    unsent('R1', '', 'refused'),
    unsent('R2', '', 'waiting'),
  ]
  expect(notSentIn(queue, ['R1/', 'R3/'])).toEqual(['R1/', 'R1/M1', 'R3/'])
})
