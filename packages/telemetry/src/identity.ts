import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { defaultResource, resourceFromAttributes, type Resource } from '@opentelemetry/resources'

/** The deployable's name: OTEL_SERVICE_NAME, else PARLEY_SERVICE. */
export const serviceName = process.env['OTEL_SERVICE_NAME'] || process.env['PARLEY_SERVICE'] || 'parley'

/** Identifies this process in traces, metrics and logs. */
export function resource(): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.namespace': 'parley',
      'service.name': serviceName,
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': process.pid,
    }),
  )
}
