import { expect, test } from '@jest/globals'
import { editing } from './composing.ts'
import { closeLeftOpen } from './left-open.ts'
import { dialog } from './overlay.ts'

test('the next user of a page does not find what the previous one left open', () => {
  closeLeftOpen('Uann')
  dialog.set({ kind: 'settings', at: 'language' })
  editing.set('M1')
  closeLeftOpen('Uann')
  expect([dialog.value, editing.value]).toEqual([{ kind: 'settings', at: 'language' }, 'M1'])
  closeLeftOpen('Ubob')
  expect([dialog.value, editing.value]).toEqual([undefined, undefined])
})
