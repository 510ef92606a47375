import { expect, test } from '@jest/globals'
import { toLinkLabel, toLinkUrl } from './sidebar-link.ts'

test.each([
  'https://wiki.example/page?x=1#top',
  'HTTP://localhost:8080',
  'https://müller.example/straße',
  'https://[::1]/',
  '/',
  '/help/start?x=1',
])('%s can be linked', (url) => {
  expect(toLinkUrl(` ${url} `)).toBe(url)
})

test.each([
  '',
  '  ',
  'wiki.example',
  'ftp://wiki.example',
  'javascript:alert(1)',
  'mailto:ann@example.com',
  '//elsewhere.example',
  '/\\elsewhere.example',
  '/\t/elsewhere.example',
  'https:elsewhere.example',
  'https://',
  'https:///path',
  'http:\\\\elsewhere.example',
  'https://two words.example',
  'https://bad port.example:x',
  'https://example.com:99999',
])('%j cannot be linked', (url) => {
  expect(() => toLinkUrl(url)).toThrow('http or https')
})

test('a label is trimmed and must not be empty', () => {
  expect(toLinkLabel(' Our wiki ')).toBe('Our wiki')
  expect(() => toLinkLabel(' \t ')).toThrow('label')
})
