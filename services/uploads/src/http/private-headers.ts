import type { OutgoingHttpHeaders } from 'node:http'
import type { KnownReader } from './reader.ts'

/**
 * For one reader: nobody may keep it. Pages elsewhere may show what they know a ticket for, but not what a browser opens
 * with a cookie that it sends along unasked.
 */
export const privately = ({ by }: Pick<KnownReader, 'by'>): OutgoingHttpHeaders => ({
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': by === 'cookie' ? 'same-site' : 'cross-origin',
  'referrer-policy': 'no-referrer',
  vary: 'Origin, Accept-Encoding, Authorization, Cookie',
})
