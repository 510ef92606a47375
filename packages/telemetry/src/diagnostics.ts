import { diag, DiagLogLevel } from '@opentelemetry/api'
import { secretsIn, withoutSecrets } from '@parley/config'
import { logger } from './logger.ts'

/** Time for which a message that was logged is not logged again, in milliseconds. */
const repeatMs = 60_000
/** Different messages logged in that time: some contain a number that is never the same. */
const mostAtOnce = 20

/**
 * Logs what OpenTelemetry complains of, such as a collector that cannot be reached or a sampler that does not exist,
 * each message once a minute, and at most twenty of them. All are warnings: Parley works without a collector. With
 * OTEL_LOG_LEVEL OpenTelemetry prints for itself instead.
 */
export function logDiagnostics(): void {
  const log = logger('opentelemetry')
  const warn = oncePerMinute((text) => log.warn(text))
  const ignore = () => undefined
  diag.setLogger(
    {
      error: (...said) => warn(textOf(said)),
      warn: (...said) => warn(textOf(said)),
      ...{ info: ignore, debug: ignore, verbose: ignore },
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/**
 * Passes a text, and what else belongs to it, on unless it, or twenty others, were passed on less than a minute ago.
 * `now`: milliseconds, never going back.
 */
export function oncePerMinute<More extends unknown[]>(
  pass: (text: string, ...more: More) => void,
  now = () => performance.now(),
): (text: string, ...more: More) => void {
  const passedAt = new Map<string, number>()
  return (text, ...more) => {
    for (const [old, at] of passedAt) if (now() - at >= repeatMs) passedAt.delete(old)
    if (passedAt.has(text) || passedAt.size >= mostAtOnce) return
    passedAt.set(text, now())
    pass(text, ...more)
  }
}

/**
 * Leaves out everything but texts and the messages of errors: other values may be data that were to be sent. Secrets in
 * the addresses and headers of collectors are replaced by `***`.
 */
export function textOf(said: readonly unknown[], env: NodeJS.ProcessEnv = process.env): string {
  const text = said
    .map((part) => (part instanceof Error ? part.message : typeof part === 'string' ? messageIn(part) : ''))
    .filter((part) => part !== '')
    .map((part) => part.replace(/:$/, ''))
    .join(': ')
  return withoutSecrets(text, secretsIn({}, { env })).replaceAll(/\/\/[^/@\s']+@/g, '//***@')
}

type Told = 'message' | 'errorMessage' | 'code' | 'name'

/** OpenTelemetry reports an error, and why a collector refused a part, as a JSON object with all properties. */
function messageIn(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const { message, errorMessage, code, name } = JSON.parse(text) as Partial<Record<Told, string>>
    return message || errorMessage || code || name || ''
  } catch {
    return text
  }
}
