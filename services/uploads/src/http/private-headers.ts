import type { OutgoingHttpHeaders } from 'node:http'
import type { KnownReader } from './reader.ts'

/**
 * For files that only some users may read. They must not be cached, because access is checked at every read. Pages of
 * other sites may not embed files that are read with a cookie.
 */
export const privateHeaders = ({ by }: Pick<KnownReader, 'by'>): OutgoingHttpHeaders => ({
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': by === 'cookie' ? 'same-site' : 'cross-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Origin, Accept-Encoding, Authorization, Cookie',
})
