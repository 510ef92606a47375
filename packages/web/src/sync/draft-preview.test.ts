import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import { DraftPreview } from './draft-preview.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** A draft preview, and its server: a URL with "dull" has no preview, and one with "unavailable" fails. */
function previewServer() {
  const urls: string[] = []
  const fetchLinkPreview = async ({ url }: { url: string }) => {
    urls.push(url)
    if (url.includes('unavailable')) throw new Error('unavailable')
    return url.includes('dull') ? {} : { preview: { url, title: `About ${url}` }, previewToken: `token of ${url}` }
  }
  const server = { api: { message: { fetchLinkPreview } } } as unknown as MemberClient
  const preview = new DraftPreview(server)
  const write = async (...drafts: string[]) => {
    const updates = drafts.map((draft) => preview.update(draft))
    await jest.advanceTimersByTimeAsync(500)
    await Promise.all(updates)
  }
  return { preview, write, urls, title: () => preview.found.value?.preview.title }
}

test('the first link of a draft is previewed, and not requested again while it stays unchanged', async () => {
  const { preview, write, urls, title } = previewServer()
  await write('see https://example.org/a')
  await write('see https://example.org/a and more')
  expect(title()).toBe('About https://example.org/a')
  expect(preview.found.value?.token).toBe('token of https://example.org/a')
  expect(urls).toEqual(['https://example.org/a'])
  await write('')
  expect(title()).toBeUndefined()
})

test('a link that is still being typed is not requested', async () => {
  const { write, urls } = previewServer()
  await write('https://example.org/a', 'https://example.org/ab')
  expect(urls).toEqual(['https://example.org/ab'])
})

test('a removed preview is not shown again', async () => {
  const { preview, write, urls, title } = previewServer()
  await write('https://example.org/a')
  preview.discard()
  await write('')
  await write('https://example.org/a')
  expect([title(), urls]).toEqual([undefined, ['https://example.org/a']])
})

test.each(['https://example.org/dull', 'https://example.org/unavailable', 'no link'])(
  '%s has no preview',
  async (body) => {
    const { write, title } = previewServer()
    await write(body)
    expect(title()).toBeUndefined()
  },
)
