import { setImmediate as immediate } from 'node:timers/promises'
import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { EventSchema } from '@parley/contracts/internal'
import { Intake } from './intake.ts'

const event = (id: string) => create(EventSchema, { id })
const at = (seq: number) => ({ seq, storedAtMs: seq })

test('events are delivered in order', async () => {
  const delivered: [string, number][] = []
  let check = () => {}
  using intake = new Intake((events, { seq }) => {
    for (const { id } of events) delivered.push([id, seq])
    check()
  })
  const waitFor = (count: number) =>
    new Promise<void>((resolve) => {
      check = () => delivered.length >= count && resolve()
      check()
    })
  intake.add([event('E1')], at(1))
  await waitFor(1)
  // After a pause a flush is immediate, after another flush it is delayed.
  for (let round = 0; round < 5; round++) {
    const base = delivered.length
    intake.add([event(`E${base + 1}`)], at(base + 1))
    intake.add([event(`E${base + 2}`)], at(base + 2))
    await waitFor(base + 2)
    await immediate()
  }
  expect(delivered).toEqual(Array.from({ length: 11 }, (_, i) => [`E${i + 1}`, i + 1]))
})
