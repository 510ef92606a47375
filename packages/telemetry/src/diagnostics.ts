import { diag, DiagLogLevel } from '@opentelemetry/api'
import { secretsIn, withoutSecrets } from '@parley/config'
import { logger } from './logger.ts'

const repeatMs = 60_000
/** Some messages contain a number that always changes. */
const maxMessages = 20

/**
 * Logs the problems that OpenTelemetry reports, such as an unreachable collector or an unknown sampler, as warnings:
 * Parley works without a collector. Logs a message at most once a minute, and at most twenty messages a minute. If
 * OTEL_LOG_LEVEL is set, OpenTelemetry prints its messages itself instead.
 */
export function logDiagnostics(): void {
  const log = logger('opentelemetry')
  const warn = oncePerMinute((text) => log.warn(text))
  const ignore = () => undefined
  diag.setLogger(
    {
      error: (...parts) => warn(textOf(parts)),
      warn: (...parts) => warn(textOf(parts)),
      ...{ info: ignore, debug: ignore, verbose: ignore },
    },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}

/**
 * Returns a function that passes a text on, with the other arguments, unless the same text or twenty others were passed
 * on less than a minute ago. `now`: a monotonic clock in milliseconds.
 */
export function oncePerMinute<More extends unknown[]>(
  pass: (text: string, ...more: More) => void,
  now = () => performance.now(),
): (text: string, ...more: More) => void {
  const passedAt = new Map<string, number>()
  return (text, ...more) => {
    for (const [old, at] of passedAt) if (now() - at >= repeatMs) passedAt.delete(old)
    if (passedAt.has(text) || passedAt.size >= maxMessages) return
    passedAt.set(text, now())
    pass(text, ...more)
  }
}

/**
 * Joins the strings and the messages of errors, and leaves out other values, which may be data to be exported. Secrets
 * in the URLs and headers of collectors are replaced by `***`.
 */
export function textOf(parts: readonly unknown[], env: NodeJS.ProcessEnv = process.env): string {
  const text = parts
    .map((part) => (part instanceof Error ? part.message : typeof part === 'string' ? messageIn(part) : ''))
    .filter((part) => part !== '')
    .map((part) => part.replace(/:$/, ''))
    .join(': ')
  return withoutSecrets(text, secretsIn({}, { env })).replaceAll(/\/\/[^/@\s']+@/g, '//***@')
}

type ReportedField = 'message' | 'errorMessage' | 'code' | 'name'

/** Extracts the message: OpenTelemetry reports an error, or why a collector rejected data, as a whole JSON object. */
function messageIn(text: string): string {
  if (!text.startsWith('{')) return text
  try {
    const { message, errorMessage, code, name } = JSON.parse(text) as Partial<Record<ReportedField, string>>
    return message || errorMessage || code || name || ''
  } catch {
    return text
  }
}
