/** Package svc.auth.v1: the steps after a sign-in at an external provider. */
export * from './gen/svc/auth/v1/external_identity_auth_pb.ts'
