import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { messageNotFound } from '../../errors.ts'
import type { Connection } from '../../store/statement.ts'
import { ChangeBatcher, type HoldStill } from './change-batcher.ts'

const on = {} as Connection
const signal = new AbortController().signal
const nothing = () => Promise.resolve()
const codeOf = (call: Promise<void>) =>
  call.then(
    () => 'done',
    (error: unknown) => (error instanceof ConnectError ? error.code : String(error)),
  )

/** Transactions that begin when they are let, one after the other. */
function gate() {
  const sizes: number[] = []
  const opens: (() => void)[] = []
  const holdStill: HoldStill = async (_, run) => {
    await new Promise<void>((open) => opens.push(open))
    let works = 0
    await run(new Proxy(on, { get: () => works++ }))
    sizes.push(works)
  }
  const open = async () => {
    opens.shift()?.()
    for (let n = 0; n < 50; n++) await Promise.resolve()
  }
  return { holdStill, sizes, open }
}

const touch = (connection: Connection) => Promise.resolve(void connection.query)

test('what comes while a room is changed goes together into the next transaction, up to so many', async () => {
  const { holdStill, sizes, open } = gate()
  const batcher = new ChangeBatcher(holdStill, { atOnce: 3 })
  const all = Array.from({ length: 6 }, () => codeOf(batcher.run('R1', signal, touch)))
  for (let n = 0; n < 3; n++) await open()
  expect(await Promise.all(all)).toEqual(Array.from({ length: 6 }, () => 'done'))
  expect(sizes).toEqual([1, 3, 2])
})

test('rooms do not wait for one another', async () => {
  const begun: string[] = []
  const batcher = new ChangeBatcher((roomId) => {
    begun.push(roomId)
    return roomId === 'R1' ? new Promise(() => undefined) : Promise.resolve()
  })
  void batcher.run('R1', signal, nothing)
  await batcher.run('R2', signal, nothing)
  expect(begun).toEqual(['R1', 'R2'])
})

test('a refusal is told to who is refused, and the others go on', async () => {
  const { holdStill, open } = gate()
  const batcher = new ChangeBatcher(holdStill)
  const refuse = () => Promise.reject(messageNotFound())
  const all = [touch, touch, refuse, touch].map((work) => codeOf(batcher.run('R1', signal, work)))
  await open()
  await open()
  expect(await Promise.all(all)).toEqual(['done', 'done', Code.NotFound, 'done'])
})

test('what fails is tried alone, and does not take the others along', async () => {
  const { holdStill, sizes, open } = gate()
  const batcher = new ChangeBatcher(holdStill)
  const fail = () => Promise.reject(new Error('broken'))
  const all = [touch, touch, fail, touch].map((work) => codeOf(batcher.run('R1', signal, work)))
  for (let n = 0; n < 5; n++) await open()
  expect(await Promise.all(all)).toEqual(['done', 'done', 'Error: broken', 'done'])
  expect(sizes).toEqual([1, 1, 1])
})

test('who gave up is not changed any more', async () => {
  const { holdStill, open } = gate()
  const batcher = new ChangeBatcher(holdStill)
  const leaving = new AbortController()
  let ran = false
  const all = [
    codeOf(batcher.run('R1', signal, touch)),
    codeOf(batcher.run('R1', leaving.signal, () => Promise.resolve(void (ran = true)))),
  ]
  leaving.abort()
  await open()
  expect(await Promise.all(all)).toEqual(['done', Code.Canceled])
  expect(ran).toBe(false)
})

test('no more than so many wait', async () => {
  const { holdStill, open } = gate()
  const batcher = new ChangeBatcher(holdStill, { mostWaiting: 1 })
  const all = [touch, touch, touch].map((work) => codeOf(batcher.run('R1', signal, work)))
  await open()
  await open()
  expect(await Promise.all(all)).toEqual(['done', 'done', Code.Unavailable])
})
