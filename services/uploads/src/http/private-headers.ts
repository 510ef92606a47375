import type { OutgoingHttpHeaders } from 'node:http'

/** For one reader: nobody may keep it. */
export const privately: OutgoingHttpHeaders = {
  'cache-control': 'private, no-store',
  'cross-origin-resource-policy': 'same-site',
  'referrer-policy': 'no-referrer',
  vary: 'Accept-Encoding, Authorization, Cookie',
}
