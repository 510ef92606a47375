import type { Command } from 'ioredis'
import { isTraced, withSpan } from '@parley/telemetry'

export const timedOut = 'Command timed out'

/**
 * Records a span for a command that was just sent, if the current trace is recorded. The span has the name of the
 * command, never its keys or values; a transaction is one span. Without a recorded trace this only checks a flag.
 */
export function commandSpan(command: Command, database: number): void {
  // The commands of a transaction are part of the span of its EXEC.
  if (!isTraced() || command.inTransaction) return
  const sent = command.name.toUpperCase()
  const operation = sent === 'EXEC' ? 'MULTI' : sent
  const attributes = {
    'db.system.name': 'redis',
    'db.namespace': String(database),
    'db.operation.name': operation,
  }
  // The sender of the command handles its failure.
  void withSpan(operation, { kind: 'client', attributes, failure }, () => command.promise).catch(() => undefined)
}

/**
 * Returns `timeout`, the code with which an error message of the server begins, or the name of another error. The rest
 * of a message may quote keys and values.
 */
function failure(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  if (error.message === timedOut) return 'timeout'
  return (error.name === 'ReplyError' && /^[A-Z]+(?= )/.exec(error.message)?.[0]) || error.name
}
