import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { reportServerCertificate } from './certificates.ts'
import { check, type Check } from './check.ts'
import { reasonOf, type Report } from './finding.ts'

const connectTimeoutMs = 5_000
const protocols = ['grpc', 'http/protobuf', 'http/json']
const ratios = ['traceidratio', 'parentbased_traceidratio']
const samplers = ['always_on', 'always_off', 'parentbased_always_on', 'parentbased_always_off', ...ratios]
const commonPrefix = 'OTEL_EXPORTER_OTLP'

type Collector = {
  /** The URL as it is set; for gRPC a missing scheme is added. */
  address: string
  addressSetting: string
  protocol: string
  protocolSetting: string
  /** Path of a file; empty for the authorities of this machine. */
  authorities: string
  authoritiesSetting: string
}

/**
 * Checks the settings of OpenTelemetry that a process takes from its environment, and that something listens where
 * traces, metrics and logs are sent. Without a collector there is nothing to check.
 */
export const telemetryCheck: Check = (sources, timeoutMs) =>
  check('telemetry', {}, async (_, report) => {
    const { env = {} } = sources
    if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return
    const collectors = collectorsIn(env)
    if (collectors.length === 0) return
    checkSampler(env, report)
    await Promise.all(collectors.map((collector) => checkCollector(collector, report)))
  })(sources, timeoutMs)

/** One collector for each combination of URL, protocol and authorities: usually the three signals share one. */
function collectorsIn(env: NodeJS.ProcessEnv): Collector[] {
  const found = new Map<string, Collector>()
  for (const signal of ['TRACES', 'METRICS', 'LOGS']) {
    const exporters = (env[`OTEL_${signal}_EXPORTER`] || 'otlp').split(',').map((one) => one.trim())
    if (!exporters.includes('otlp')) continue
    const settingOf = (what: string) =>
      env[`${commonPrefix}_${signal}_${what}`] ? `${commonPrefix}_${signal}_${what}` : `${commonPrefix}_${what}`
    const [addressSetting, protocolSetting] = [settingOf('ENDPOINT'), settingOf('PROTOCOL')]
    const authoritiesSetting = settingOf('CERTIFICATE')
    const [written, protocol] = [env[addressSetting]?.trim(), env[protocolSetting] || 'http/protobuf']
    if (!written) continue
    const isInsecure = env[settingOf('INSECURE')]?.trim().toLowerCase() === 'true'
    // Only the exporters for gRPC accept an address without a scheme.
    const scheme = protocol !== 'grpc' || written.includes('://') ? '' : isInsecure ? 'http://' : 'https://'
    const [address, authorities] = [scheme + written, env[authoritiesSetting]?.trim() ?? '']
    const collector = { address, addressSetting, protocol, protocolSetting, authorities, authoritiesSetting }
    found.set([protocol, address, authorities].join(' '), collector)
  }
  return [...found.values()]
}

async function checkCollector(collector: Collector, report: Report): Promise<void> {
  const { address, addressSetting, protocol, protocolSetting } = collector
  if (!protocols.includes(protocol))
    report.fail('telemetry.protocol', `${protocolSetting} is ${protocol}, which does not exist`, oneOf(protocols))
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '')
    return report.fail(
      'telemetry.address',
      `${addressSetting} is not the address of a collector`,
      'Write http://collector:4318, or http://collector:4317 with the protocol grpc; use https if the collector has TLS.',
    )
  const usualProtocol = { '4317': 'grpc', '4318': 'http/protobuf' }[url.port]
  if (usualProtocol !== undefined && (usualProtocol === 'grpc') !== (protocol === 'grpc'))
    report.warn(
      'telemetry.protocol',
      `${protocol} is used with port ${url.port}, where collectors usually expect ${usualProtocol}`,
      `Set ${protocolSetting}=${usualProtocol} or correct the port in ${addressSetting}.`,
    )
  await checkReach(url, collector, report)
}

async function checkReach(url: URL, collector: Collector, report: Report): Promise<void> {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  const at = `${url.hostname}:${port}`
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) })
    report.ok('telemetry.reach', `a server listens at ${at}`)
  } catch (error) {
    const isTimeout = error instanceof Error && error.name === 'AbortError'
    return report.warn(
      'telemetry.reach',
      `traces, metrics or logs do not reach ${at}: ${isTimeout ? 'no answer within 5 s' : reasonOf(error)}`,
      `Start the collector, or correct ${collector.addressSetting}; check that no firewall or network policy blocks the connection.`,
    )
  } finally {
    socket.on('error', () => undefined).destroy()
  }
  if (url.protocol !== 'https:') return
  const trust = await authoritiesOf(collector, report)
  const { authoritiesSetting } = collector
  const authorities = trust.ca && `the file that ${authoritiesSetting} names`
  const server = { host: url.hostname, port, trust, authorities }
  await reportServerCertificate(report, 'telemetry.certificate', server, 'warn')
}

/** The authorities with which the exporters check the certificate; they ignore a file that they cannot read. */
async function authoritiesOf({ authorities, authoritiesSetting }: Collector, report: Report): Promise<{ ca?: Buffer }> {
  if (authorities === '') return {}
  try {
    return { ca: await readFile(authorities) }
  } catch (error) {
    report.warn(
      'telemetry.certificate',
      `${authorities} cannot be read: ${reasonOf(error)}`,
      `Correct the path in ${authoritiesSetting}, or put the certificates there.`,
    )
    return {}
  }
}

function checkSampler(env: NodeJS.ProcessEnv, report: Report): void {
  const sampler = env['OTEL_TRACES_SAMPLER']
  if (!sampler) return
  const ratio = env['OTEL_TRACES_SAMPLER_ARG']?.trim()
  if (!samplers.includes(sampler))
    report.fail('telemetry.sampler', `OTEL_TRACES_SAMPLER is ${sampler}, which does not exist`, oneOf(samplers))
  else if (ratios.includes(sampler) && !(ratio && Number(ratio) >= 0 && Number(ratio) <= 1))
    report.fail(
      'telemetry.sampler',
      `OTEL_TRACES_SAMPLER_ARG is not the fraction that ${sampler} needs: every trace is recorded`,
      'Write a number from 0 to 1, such as 0.1 for a tenth of the traces.',
    )
}

const oneOf = (words: readonly string[]): string => `Write one of ${words.join(', ')}.`
