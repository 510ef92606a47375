import fc from 'fast-check'

/** How a client leaves: after a response, or without waiting for one. */
export type Leaving = 'answered' | 'half-close' | 'hang-up' | 'reset'

export type Conversation = { pieces: Buffer[]; leaving: Leaving }

const odd = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
)
const mostly = (weight: number, usual: fc.Arbitrary<string>, other = odd): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: other, weight: 1 })

const method = mostly(
  40,
  fc.constantFrom(
    ...[
      'GET',
      'GET',
      'POST',
      'POST',
      'POST',
      'POST',
      'HEAD',
      'OPTIONS',
      'PUT',
      'DELETE',
      'PATCH',
      'CONNECT',
      'TRACE',
      'PRI',
      'get',
      'M-SEARCH',
    ],
  ),
)
const paths = [
  ...['/', '*', '/healthz', '/readyz', '/metrics', '/login', '/auth/login', '/auth/logout', '/oauth/token', '/chat/x'],
  ...[
    '/api/realtime',
    '/api/server',
    '/api/graphql',
    '/assets/files/A1',
    '/assets/server/A1/t/x.y',
    '/webhooks/livekit',
  ],
  ...[
    '/auth/providers/x/start',
    '/auth/providers/x/callback',
    '/favicon.ico',
    '/oauth/authorize',
    'http://x/healthz',
    'x:80',
  ],
  ...[
    '/api/connect/svc.api.v1.RoomDirectoryService/GetRoom',
    '/svc.api.v1.RoomDirectoryService/GetRoom',
    '/api/connect/svc.discovery.v1.ServerDiscoveryService/GetServer',
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ],
]
const target = fc
  .tuple(
    mostly(40, fc.constantFrom(...paths)),
    mostly(20, fc.constantFrom('', '', '?a=b', '?%', '/%2e%2e', '#x', '?query={x}')),
  )
  .map((parts) => parts.join(''))
const version = mostly(
  60,
  fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0'),
  fc.oneof(fc.constantFrom('HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', ''), odd),
)
const number = fc.oneof(
  fc.nat(40).map(String),
  fc.constantFrom('-1', '+2', '0x5', '007', '1e3', '2, 2', '99999999999999999999', '1_000', 'NaN', ''),
)
const values: Record<string, fc.Arbitrary<string>> = {
  'Content-Length': number,
  'Transfer-Encoding': fc.constantFrom('chunked', 'Chunked', 'gzip, chunked', 'identity', 'chunked, chunked', 'x'),
  Connection: fc.constantFrom('close', 'keep-alive', 'Upgrade', 'Upgrade, HTTP2-Settings', 'content-length', 'host'),
  Upgrade: fc.constantFrom('websocket', 'WebSocket', 'h2c', 'TLS/1.0', 'h2c, websocket'),
  'HTTP2-Settings': fc.constantFrom('AAMAAABkAAQAAP__', 'x', ''),
  'Sec-WebSocket-Version': fc.constantFrom('13', '8', 'x'),
  'Sec-WebSocket-Key': fc.constantFrom('dGhlIHNhbXBsZSBub25jZQ==', 'x', ''),
  'Sec-WebSocket-Protocol': odd,
  'Sec-WebSocket-Extensions': fc.constantFrom('permessage-deflate', 'permessage-deflate; x="', 'x'),
  Expect: fc.constantFrom('100-continue', '100-Continue', 'x'),
  Host: fc.constantFrom('x', 'chat.example.org', '[::1]:80', 'x:y', ''),
  'Content-Type': fc.constantFrom(
    ...['application/json', 'application/proto', 'application/grpc', 'application/grpc-web+proto', 'text/plain'],
    ...[
      'application/connect+json',
      'application/json; charset=x',
      'multipart/form-data; boundary=',
      'application/grpc-web-text',
    ],
  ),
  'Content-Encoding': fc.constantFrom('gzip', 'br', 'identity', 'x'),
  'Connect-Protocol-Version': fc.constantFrom('1', '2', 'x'),
  'Connect-Timeout-Ms': number,
  'Grpc-Timeout': fc.constantFrom('1S', '99999999H', '-1S', 'x', '0n'),
  'Grpc-Encoding': fc.constantFrom('gzip', 'x'),
  Authorization: fc.constantFrom('Bearer x', 'Bearer', 'bearer  a b', 'Basic Og==', ''),
  Cookie: fc.oneof(
    fc.constantFrom('parley_session=x.y', 'parley_session', '=;=', '; ; a=b', '__Host-parley_csrf="'),
    odd,
  ),
  Origin: fc.constantFrom('null', 'http://x', 'https://chat.example.org', '*', 'http://['),
  'X-Forwarded-For': fc.constantFrom('1.2.3.4', '[::1]:80, x', '::ffff:1.2.3.4%eth0', ',,,', '1.2.3.4:'),
  'Parley-Forwarded-For-Proof': odd,
  'X-Csrf-Token': odd,
  'Idempotency-Key': odd,
  Range: fc.constantFrom('bytes=0-', 'bytes=-1', 'bytes=5-1', 'bytes=0-0,2-3', 'x'),
  'If-None-Match': fc.constantFrom('*', '"x"', 'W/"x', ''),
  'Accept-Language': fc.constantFrom('en', '*;q=x', ',,;'),
  Trailer: fc.constantFrom('X-After', 'Content-Length'),
  Traceparent: fc.constantFrom('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-x', 'ff-0-0-0'),
}
const colons = fc.constantFrom(' : ', ':\r\n ', '', '::')
const header = fc
  .tuple(mostly(60, fc.constantFrom(...Object.keys(values))), mostly(60, fc.constantFrom(': ', ':', ':\t'), colons))
  .chain(([name, colon]) =>
    mostly(30, Object.hasOwn(values, name) ? (values[name] ?? odd) : odd).map((value) => `${name}${colon}${value}`),
  )
const lineEnd = mostly(60, fc.constant('\r\n'), fc.constantFrom('\n', '\r', '\r\r\n', '\n\r'))

const chunk = fc
  .tuple(fc.string({ maxLength: 8 }), mostly(6, fc.constantFrom('', ';x=y', ';x="', ' ')), mostly(6, fc.constant('')))
  .map(([text, extension, wrong]) => `${text.length.toString(16)}${wrong}${extension}\r\n${text}\r\n`)
const body = fc.oneof(
  fc.constant(''),
  fc.constantFrom(
    '',
    '{}',
    '{"roomId":"R1"}',
    '{"login":"a","password":"b"}',
    '[',
    '\0\0\0\0\0',
    '\x80\xff\xff\xff\x0f{}',
  ),
  fc
    .tuple(fc.array(chunk, { maxLength: 3 }), fc.constantFrom('0\r\n\r\n', '0\r\nX-After: 1\r\n\r\n', ''))
    .map(([chunks, end]) => chunks.join('') + end),
  odd,
)
/** A body that is framed correctly, or by random headers. */
const framed = fc.tuple(body, fc.array(header, { maxLength: 5 }), fc.boolean()).map(([text, headers, isRight]) => {
  const others = headers.filter((line) => !/^(content-length|transfer-encoding|expect|upgrade)/i.test(line))
  return isRight ? { headers: [...others, `Content-Length: ${text.length}`], text } : { headers, text }
})
const request = fc
  .tuple(fc.tuple(method, target, version), framed, lineEnd)
  .map(([line, { headers, text }, end]) => [line.join(' '), 'Host: x', ...headers, '', ''].join(end) + text)

/** A few requests, one after the other, split anywhere. */
export const conversation: fc.Arbitrary<Conversation> = fc
  .tuple(
    fc.array(request, { minLength: 1, maxLength: 4 }),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
    fc.constantFrom<Leaving>('answered', 'answered', 'answered', 'half-close', 'hang-up', 'reset'),
  )
  .map(([requests, cuts, leaving]) => {
    const bytes = Buffer.from(requests.join(''), 'latin1')
    const ends = [...cuts.map((cut) => Math.round(cut * bytes.length)), bytes.length].sort((a, b) => a - b)
    return { pieces: ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)), leaving }
  })
