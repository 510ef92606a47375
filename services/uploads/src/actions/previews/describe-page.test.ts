import { expect, test } from '@jest/globals'
import { describePage } from './describe-page.ts'
import { readPage } from './read-page.ts'

const at = new URL('https://example.org/a/page')
const describeHtml = async (html: string) => describePage(await readPage(html), at)

test('OpenGraph overrides other card formats, and these override title and description of the page', async () => {
  const plain = '<title> A  title </title><meta name="description" content="A description">'
  expect(await describeHtml(plain)).toEqual({
    ...{ title: 'A title', description: 'A description', siteName: '', imageUrl: undefined },
  })
  const cards = `${plain}<meta name="twitter:title" content="Card"><meta name=twitter:description content="Of the card">
    <meta name=twitter:image content=/card.png>`
  expect(await describeHtml(cards)).toEqual({
    ...{ title: 'Card', description: 'Of the card', siteName: '', imageUrl: 'https://example.org/card.png' },
  })
  const graph = `${cards}<meta property="og:title" content="Graph &amp; more"><meta property="og:description" content="Its own">
    <meta property="og:site_name" content="The site"><meta property="og:image" content="pic.png">`
  expect(await describeHtml(graph)).toEqual({
    ...{ title: 'Graph & more', description: 'Its own', siteName: 'The site' },
    imageUrl: 'https://example.org/a/pic.png',
  })
})

test('titles in comments, SVG images, scripts and the body are ignored', async () => {
  const html = `<!-- <title>No</title> --><svg><title>Icon</title></svg><script>"<title>Script</title>"</script>
    <title>Yes</title></head><body><meta property="og:title" content="Body"><title>Late</title>`
  expect(await describeHtml(html)).toMatchObject({ title: 'Yes' })
})

test('texts have a limited length, one line, and no invisible characters', async () => {
  const long = '😀'.repeat(2_000)
  const html = `<meta property=og:title content="${long}"><meta property=og:description content="${long}">
    <meta property=og:site_name content="a\u202eb\u0007\n c">`
  const { title, description, siteName } = await describeHtml(html)
  expect([Array.from(title).length, Array.from(description).length]).toEqual([300, 1_000])
  expect(title.endsWith('😀…')).toBe(true)
  expect(siteName).toBe('ab c')
})

test.each(['', '<', '<html', '<title>', '<meta property="og:image" content="http://[">', '<meta>'.repeat(10_000)])(
  'a page without a title and without a valid image URL gets neither: %#',
  async (html) => {
    expect(await describeHtml(html)).toMatchObject({ title: '', imageUrl: undefined })
  },
)

test('elements nested too deeply are ignored', async () => {
  const nested = (depth: number) => `${'<b>'.repeat(depth)}<title>Deep</title>`
  expect(await describeHtml(nested(200))).toMatchObject({ title: 'Deep' })
  expect(await describeHtml(nested(600_000))).toMatchObject({ title: '' })
  expect(await describeHtml(`${'<meta>'.repeat(1_000)}<title>Flat</title>`)).toMatchObject({ title: 'Flat' })
})
