import type { Event } from '@parley/contracts/internal'

export type AuditClass = 'security' | 'conversation'
const auditClasses: readonly AuditClass[] = ['security', 'conversation']

const conversation =
  /^(message|reaction|thread|call|asset|notification|mention|link_preview)_|^(room_marked_as_read|user_custom_status_(set|cleared)|presence_changed)$/

export function auditClassOf({ kind, fact }: Pick<Event, 'kind' | 'fact'>): AuditClass {
  const inDm = fact.case === 'roomFact' && fact.value.header?.dm === true
  return inDm || conversation.test(kind) ? 'conversation' : 'security'
}

/** Entries of one class and month (UTC) of recording are stored and deleted together. `month`: 1 to 12. */
export type Bucket = { auditClass: AuditClass; year: number; month: number }

export const bucketAt = (auditClass: AuditClass, at: Date): Bucket => ({
  auditClass,
  year: at.getUTCFullYear(),
  month: at.getUTCMonth() + 1,
})

export const bucketName = ({ auditClass, year, month }: Bucket): string =>
  `${auditClass}_${year}_${String(month).padStart(2, '0')}`

export function parseBucketName(name: string): Bucket | undefined {
  const [, found, year, month] = /^([a-z]+)_(\d{4})_(\d{2})$/.exec(name) ?? []
  const auditClass = auditClasses.find((known) => known === found)
  return auditClass && { auditClass, year: Number(year), month: Number(month) }
}

/** This month and the next two, so that creating tables may fail for weeks without harm. */
export function bucketsAhead(at: Date): Bucket[] {
  const months = [0, 1, 2].map((ahead) => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead)))
  return auditClasses.flatMap((auditClass) => months.map((month) => bucketAt(auditClass, month)))
}

/** Whether the youngest possible entry of the bucket is past the retention of its class. */
export function isExpired({ auditClass, year, month }: Bucket, at: Date, keepMs: Record<AuditClass, number>): boolean {
  const endsAt = Date.UTC(year, month)
  return endsAt + keepMs[auditClass] <= at.getTime()
}
