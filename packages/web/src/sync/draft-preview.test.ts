import { expect, test } from '@jest/globals'
import type { MemberClient } from '@parley/client'
import { DraftPreview } from './draft-preview.ts'

/** A server that knows a title for every page but those named "dull". */
function previewed() {
  const urls: string[] = []
  const fetchLinkPreview = async ({ url }: { url: string }) => {
    urls.push(url)
    if (url.includes('away')) throw new Error('away')
    return url.includes('dull') ? {} : { preview: { url, title: `About ${url}` }, previewToken: `token of ${url}` }
  }
  const server = { api: { message: { fetchLinkPreview } } } as unknown as MemberClient
  const preview = new DraftPreview(server)
  return { preview, urls, title: () => preview.found.value?.preview.title }
}

test('the first page of a draft is previewed, asked for once', async () => {
  const { preview, urls, title } = previewed()
  await preview.look('see https://example.org/a')
  await preview.look('see https://example.org/a and more')
  expect(title()).toBe('About https://example.org/a')
  expect(preview.found.value?.token).toBe('token of https://example.org/a')
  expect(urls).toEqual(['https://example.org/a'])
  await preview.look('')
  expect(title()).toBeUndefined()
})

test('an address that is still typed is not asked for', async () => {
  const { preview, urls } = previewed()
  await Promise.all([preview.look('https://example.org/a'), preview.look('https://example.org/ab')])
  expect(urls).toEqual(['https://example.org/ab'])
})

test('a preview that is not wanted does not come back', async () => {
  const { preview, urls, title } = previewed()
  await preview.look('https://example.org/a')
  preview.discard()
  await preview.look('')
  await preview.look('https://example.org/a')
  expect([title(), urls]).toEqual([undefined, ['https://example.org/a']])
})

test.each(['https://example.org/dull', 'https://example.org/away', 'no link'])('%s has none', async (body) => {
  const { preview, title } = previewed()
  await preview.look(body)
  expect(title()).toBeUndefined()
})
