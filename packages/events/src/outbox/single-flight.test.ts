import { expect, test } from '@jest/globals'
import { singleFlight } from './single-flight.ts'

function controlled() {
  const finish: ((error?: Error) => void)[] = []
  const work = () =>
    new Promise<void>((resolve, reject) => finish.push((error) => (error === undefined ? resolve() : reject(error))))
  return { finish, call: singleFlight(work) }
}

test('calls during a run share one later run', async () => {
  const { finish, call } = controlled()
  const first = call()
  const second = call()
  const third = call()
  expect(finish).toHaveLength(1)
  finish[0]?.()
  await first
  await new Promise(setImmediate)
  expect(finish).toHaveLength(2)
  finish[1]?.()
  await Promise.all([second, third])
  expect(finish).toHaveLength(2)
})

test('a failure reaches all callers of the run; the next run starts normally', async () => {
  const { finish, call } = controlled()
  const first = call()
  const [second, third] = [call(), call()]
  finish[0]?.()
  await first
  await new Promise(setImmediate)
  finish[1]?.(new Error('failed'))
  expect(await Promise.allSettled([second, third])).toMatchObject([
    { status: 'rejected', reason: { message: 'failed' } },
    { status: 'rejected', reason: { message: 'failed' } },
  ])
  const next = call()
  finish[2]?.()
  await next
})
