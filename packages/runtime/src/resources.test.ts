import { expect, test } from '@jest/globals'
import { Resources } from './resources.ts'

test('resources of all kinds are closed in reverse order', async () => {
  const closed: string[] = []
  {
    await using opened = new Resources()
    opened.use({ [Symbol.asyncDispose]: async () => void closed.push('pool') })
    opened.use({ [Symbol.dispose]: () => void closed.push('timer') })
    opened.defer('server', () => void closed.push('server'))
  }
  expect(closed).toEqual(['server', 'timer', 'pool'])
})

test('a close that fails does not prevent the others', async () => {
  const closed: string[] = []
  const opened = new Resources()
  opened.defer('first', () => void closed.push('first'))
  opened.defer('failing', () => {
    throw new Error('stuck')
  })
  opened.defer('rejecting', () => Promise.reject(new Error('stuck')))
  await opened[Symbol.asyncDispose]()
  expect(closed).toEqual(['first'])
})

test('a resource that was handed over is closed once, by its new owner', async () => {
  const closed: string[] = []
  let moved: AsyncDisposable
  {
    await using opened = new Resources()
    opened.defer('pool', () => void closed.push('pool'))
    moved = opened.move()
  }
  expect(closed).toEqual([])
  await moved[Symbol.asyncDispose]()
  await moved[Symbol.asyncDispose]()
  expect(closed).toEqual(['pool'])
})
