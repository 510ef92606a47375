import type { OutgoingHttpHeaders } from 'node:http'
import type { KnownReader } from './reader.ts'

/**
 * For one reader, so it may not be cached. Other origins may show files for which they have a ticket, but not those
 * opened by a cookie.
 */
export const privateHeaders = ({ by }: Pick<KnownReader, 'by'>): OutgoingHttpHeaders => ({
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': by === 'cookie' ? 'same-site' : 'cross-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Origin, Accept-Encoding, Authorization, Cookie',
})
