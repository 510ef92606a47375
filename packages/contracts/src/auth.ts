/** Package svc.auth.v1. */
export * from './gen/svc/auth/v1/external_identity_auth_pb.ts'
