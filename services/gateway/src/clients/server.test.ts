import { create } from '@bufbuild/protobuf'
import { expect, jest, test } from '@jest/globals'
import { GetServerResponseSchema } from '@parley/contracts/discovery'
import { cacheServerDescription } from './server.ts'

const named = (name: string) => create(GetServerResponseSchema, { profile: { name }, login: {} })

test('the description of the server is fetched once for everyone, and again after five seconds', async () => {
  let now = 1
  const fetch = jest.fn(() => Promise.resolve(named('Lodge')))
  const describe = cacheServerDescription(fetch, () => now)
  const answers = await Promise.all([describe(), describe()])
  expect(answers.map(({ profile }) => profile?.name)).toEqual(['Lodge', 'Lodge'])
  await describe()
  expect(fetch).toHaveBeenCalledTimes(1)
  now += 5_001
  await describe()
  expect(fetch).toHaveBeenCalledTimes(2)
})

test('during an outage the last description is used, or a default', async () => {
  let now = 1
  const fetch = jest.fn(() => Promise.reject<ReturnType<typeof named>>(new Error('unavailable')))
  const describe = cacheServerDescription(fetch, () => now)
  expect((await describe()).profile?.name).toBe('Parley')
  fetch.mockResolvedValueOnce(named('Lodge'))
  expect((await describe()).profile?.name).toBe('Lodge')
  now += 5_001
  expect((await describe()).profile?.name).toBe('Lodge')
})
