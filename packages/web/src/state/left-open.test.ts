import { expect, test } from '@jest/globals'
import type { Message } from '@parley/client/contract'
import { replyingTo, beginReply, editing } from './composing.ts'
import { closeLeftOpen } from './left-open.ts'
import { dialog } from './overlay.ts'

test('the next user of a page does not find what the previous one left open', () => {
  closeLeftOpen('Uann')
  dialog.set({ kind: 'settings', at: 'language' })
  editing.set('M1')
  beginReply('R1/', { id: 'M2' } as Message)
  closeLeftOpen('Uann')
  expect([dialog.value, editing.value, replyingTo.value.size]).toEqual([{ kind: 'settings', at: 'language' }, 'M1', 1])
  closeLeftOpen('Ubob')
  expect([dialog.value, editing.value, replyingTo.value.size]).toEqual([undefined, undefined, 0])
})
