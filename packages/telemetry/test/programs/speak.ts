import '@parley/telemetry/register'
import {
  counter,
  currentTraceparent,
  bindToTrace,
  logger,
  stopTelemetry,
  withoutTrace,
  withSpan,
} from '@parley/telemetry'

const log = logger('test')
counter('test.spoken', { description: 'Time spoken', unit: 's' })(3)
log.debug('a detail')
log.info({ password: 'hunter2', request: { headers: { authorization: 'hunter2' } }, roomId: 'R1' }, 'hello')
const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
let calledLater = (): Promise<void> => Promise.resolve()
await withSpan('outer', { kind: 'server', parent }, async () => {
  const outer = currentTraceparent()
  await withSpan('inner', {}, () => {
    log.warn({ traceparent: currentTraceparent(), outer }, 'inside')
  })
  await withoutTrace(() => withSpan('background', {}, () => undefined))
  calledLater = bindToTrace(() => withSpan('callback', {}, () => undefined))
})
await calledLater()
const [unsampled, first, second] = ['1', '2', '3'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}`)
await withSpan('together', { joined: [`${unsampled}-00`, `${first}-01`, `${second}-01`, ''] }, () => undefined)
await withSpan('failing', {}, () => Promise.reject(new TypeError('hunter2'))).catch(() => undefined)
await stopTelemetry(Number(process.env['TEST_STOP_WITHIN_MS'] ?? 2_000))
