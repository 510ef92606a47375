import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { EmailAddressSchema, type EmailAddress } from '@parley/contracts/api'
import { isRemovable } from '../domain/removable.ts'
import type { VerifiedAddress } from '../store/emails.ts'

export const toEmailAddresses = (all: readonly VerifiedAddress[], now: Date): EmailAddress[] =>
  all.map((one) =>
    create(EmailAddressSchema, {
      address: one.address,
      verifiedAt: timestampFromDate(one.verifiedAt),
      removable: isRemovable(one, all, now),
    }),
  )
