import { createHash } from 'node:crypto'
import { Code, ConnectError } from '@connectrpc/connect'
import { beforeAll, expect, test } from '@jest/globals'
import { eventually, requestErasure } from '@parley/testkit'
import { dropExpiredPreviewTokens } from '../src/store/preview-tokens.ts'
import { transaction } from '../src/store/statement.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet()

beforeAll(async () => {
  fleet.fakes.previewLink = (url) => {
    if (url.startsWith('ftp:')) throw new ConnectError('url: no', Code.InvalidArgument)
    if (url.includes('unavailable')) throw new Error('unavailable')
    if (url.includes('nothing')) return {}
    return { preview: { url, title: 'A page', imageKey: url.includes('image') ? 'Aimage' : '' } }
  }
})

const alice = () => fleet.as('Ualice').messages
type Row = { digest: Buffer; user_id: string; minutes: number }
const tokens = async (): Promise<Row[]> => {
  const minutesLeft = 'extract(epoch from expires_at - now()) / 60'
  const { rows } = await fleet.pool.query<Row>(
    `select digest, user_id, ${minutesLeft} as minutes from link_preview_tokens`,
  )
  return rows
}

test('a preview comes with a token for half an hour, stored as a digest', async () => {
  const url = 'https://example.org/image'
  const { preview, previewToken } = await alice().fetchLinkPreview({ url })
  expect(preview).toMatchObject({ url, title: 'A page', imageAssetId: 'Aimage' })
  expect(preview?.imageUrl).toMatch(/^http:\/\/localhost:8080\/assets\/server\/Aimage\/t\//)
  expect(preview).not.toHaveProperty('description')
  expect(previewToken).toMatch(/^prl_LP[0-9A-Za-z]{43}$/)
  const [stored] = await tokens()
  expect(stored).toMatchObject({ user_id: 'Ualice', digest: createHash('sha256').update(previewToken).digest() })
  expect(Math.round(Number(stored?.minutes))).toBe(30)
})

test('a user has at most four fetches at a time, including canceled ones that still run', async () => {
  const usual = fleet.fakes.previewLink
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let running = 0
  fleet.fakes.previewLink = async (url) => {
    if (!url.includes('slow')) return usual(url)
    running++
    await released
    return {}
  }
  const call = new AbortController()
  const { signal } = call
  const slow = Promise.allSettled(
    [{ signal }, {}, {}, {}].map((options) => alice().fetchLinkPreview({ url: 'https://example.org/slow' }, options)),
  )
  await eventually(() => running === 4)
  call.abort()
  const url = 'https://example.org/'
  await expect(alice().fetchLinkPreview({ url })).rejects.toMatchObject({ code: Code.ResourceExhausted })
  expect((await fleet.as('Ubob').messages.fetchLinkPreview({ url: `${url}nothing` })).previewToken).toBe('')
  release()
  expect(await slow).toMatchObject([{ status: 'rejected' }, {}, {}, {}])
  await eventually(async () => expect((await alice().fetchLinkPreview({ url })).preview).toMatchObject({ url }))
  fleet.fakes.previewLink = usual
})

test('each response has its own token', async () => {
  const url = 'https://example.org/'
  const [one, other] = await Promise.all([alice().fetchLinkPreview({ url }), alice().fetchLinkPreview({ url })])
  expect(one.previewToken).not.toBe(other.previewToken)
  expect(one.preview).not.toHaveProperty('imageUrl')
})

test('there is no token for a page with nothing to show', async () => {
  const before = (await tokens()).length
  const answer = await alice().fetchLinkPreview({ url: 'https://example.org/nothing' })
  expect(answer.preview).toBeUndefined()
  expect(answer.previewToken).toBe('')
  expect(await tokens()).toHaveLength(before)
})

test.each([
  ['an empty URL', '', Code.InvalidArgument],
  ['a URL that is too long', 'x'.repeat(2_049), Code.InvalidArgument],
  ['a URL that uploads refuses', 'ftp://example.org/', Code.InvalidArgument],
  ['a URL while uploads fails', 'https://example.org/unavailable', Code.Unavailable],
])('%s is refused', async (_, url, code) => {
  await expect(alice().fetchLinkPreview({ url })).rejects.toMatchObject({ code })
})

test('a token can be used only by the user who fetched the preview', async () => {
  const { roomId } = await fleet.room().channel(['Ualice', 'Ubob'])
  const url = 'https://example.org/image'
  const { previewToken: linkPreviewToken } = await alice().fetchLinkPreview({ url })
  const { message } = await alice().createMessage({ roomId, body: url, linkPreviewToken })
  expect(message?.linkPreview).toMatchObject({ url, title: 'A page', imageAssetId: 'Aimage' })
  const stolen = fleet.as('Ubob').messages.createMessage({ roomId, body: url, linkPreviewToken })
  await expect(stolen).rejects.toMatchObject({ code: Code.InvalidArgument })
})

test('expired tokens and tokens of deleted users are deleted', async () => {
  await fleet.as('Ubob').messages.fetchLinkPreview({ url: 'https://example.org/' })
  await alice().fetchLinkPreview({ url: 'https://example.org/' })
  // In one transaction, because messaging itself deletes tokens, too.
  await transaction(fleet.pool, async (on) => {
    await on.query(`update link_preview_tokens set expires_at = now() - interval '1 second' where user_id = 'Ualice'`)
    expect(await dropExpiredPreviewTokens(on, 1)).toBe(1)
  })
  await dropExpiredPreviewTokens(fleet.pool, 100)
  expect((await tokens()).map((row) => row.user_id)).toEqual(['Ubob'])
  await requestErasure(fleet.bus, 'Ubob')
  await eventually(async () => expect(await tokens()).toEqual([]))
})
