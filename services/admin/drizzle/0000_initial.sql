CREATE TABLE "blocked_usernames" (
	"username" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inbox" (
	"consumer" text NOT NULL,
	"event_id" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_consumer_event_id_pk" PRIMARY KEY("consumer","event_id")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"shard" integer NOT NULL,
	"aggregate" text NOT NULL,
	"subject" text NOT NULL,
	"event_id" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"relayed_at" timestamp with time zone,
	"stream_seq" bigint
);
--> statement-breakpoint
CREATE TABLE "outbox_leases" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"fence" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "outbox_places" (
	"shard" integer PRIMARY KEY NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"stream_seq" bigint,
	"event_id" text,
	"relayed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "parked_events" (
	"consumer" text NOT NULL,
	"event_id" text NOT NULL,
	"subject" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"attempts" integer NOT NULL,
	"last_error" text NOT NULL,
	"first_failed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"parked_at" timestamp with time zone,
	CONSTRAINT "parked_events_consumer_event_id_pk" PRIMARY KEY("consumer","event_id")
);
--> statement-breakpoint
CREATE TABLE "permission_decisions" (
	"scope_kind" text NOT NULL,
	"scope_id" text NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"permission" text NOT NULL,
	"decision" text NOT NULL,
	CONSTRAINT "permission_decisions_key" PRIMARY KEY("scope_kind","scope_id","subject_kind","subject_id","permission"),
	CONSTRAINT "permission_decisions_scope" CHECK (("permission_decisions"."scope_kind" = 'server') = ("permission_decisions"."scope_id" = ''))
);
--> statement-breakpoint
CREATE TABLE "policy_state" (
	"id" text PRIMARY KEY DEFAULT 'server' NOT NULL,
	"revision" bigint NOT NULL,
	CONSTRAINT "policy_state_single" CHECK ("policy_state"."id" = 'server')
);
--> statement-breakpoint
CREATE TABLE "roles" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"display_name" text NOT NULL,
	"description" text NOT NULL,
	"pingable" boolean NOT NULL,
	"position" integer NOT NULL,
	"is_system" boolean NOT NULL,
	CONSTRAINT "roles_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "server_profile" (
	"id" text PRIMARY KEY DEFAULT 'server' NOT NULL,
	"version" bigint NOT NULL,
	"name" text,
	"description" text,
	"motd" text,
	"welcome_message" text,
	"logo_key" text,
	"banner_key" text,
	CONSTRAINT "server_profile_single" CHECK ("server_profile"."id" = 'server')
);
--> statement-breakpoint
CREATE INDEX "inbox_received" ON "inbox" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "outbox" USING btree ("id") WHERE relayed_at is null;--> statement-breakpoint
CREATE INDEX "outbox_relayed" ON "outbox" USING btree ("relayed_at") WHERE relayed_at is not null;--> statement-breakpoint
CREATE INDEX "permission_decisions_subject" ON "permission_decisions" USING btree ("subject_kind","subject_id");