CREATE TYPE "public"."room_event_kind" AS ENUM('message_posted', 'room_created', 'room_updated', 'room_archived', 'room_unarchived', 'user_joined_room', 'user_left_room');--> statement-breakpoint
CREATE TYPE "public"."room_kind" AS ENUM('channel', 'dm');--> statement-breakpoint
CREATE TABLE "inbox" (
	"consumer" text NOT NULL,
	"event_id" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_consumer_event_id_pk" PRIMARY KEY("consumer","event_id")
);
--> statement-breakpoint
CREATE TABLE "line_bans" (
	"room_id" text NOT NULL,
	"user_id" text NOT NULL,
	"banned" boolean NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"version" bigint NOT NULL,
	CONSTRAINT "line_bans_room_id_user_id_pk" PRIMARY KEY("room_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "line_members" (
	"room_id" text NOT NULL,
	"user_id" text NOT NULL,
	"member" boolean NOT NULL,
	"version" bigint NOT NULL,
	CONSTRAINT "line_members_room_id_user_id_pk" PRIMARY KEY("room_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "message_keys" (
	"caller_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"room_id" text NOT NULL,
	"event_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "message_keys_caller_id_key_pk" PRIMARY KEY("caller_id","key")
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
CREATE TABLE "room_events" (
	"room_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"event_id" text NOT NULL,
	"kind" "room_event_kind" NOT NULL,
	"in_timeline" boolean NOT NULL,
	"actor_id" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	"body" text,
	"in_reply_to" text,
	"thread_root_event_id" text,
	"echo_of_event_id" text,
	"echo_from_thread_root_event_id" text,
	"channel_echo_event_id" text,
	CONSTRAINT "room_events_room_id_seq_pk" PRIMARY KEY("room_id","seq")
);
--> statement-breakpoint
CREATE TABLE "room_lines" (
	"room_id" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"room_seq" bigint NOT NULL,
	"fact_entry" bigint NOT NULL,
	"kind" "room_kind" NOT NULL,
	"group_id" text NOT NULL,
	"universal" boolean NOT NULL,
	"archived" boolean NOT NULL,
	"name" text NOT NULL,
	"participant_ids" text[] NOT NULL,
	"last_message_seq" bigint,
	"last_message_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "room_markers" (
	"room_id" text NOT NULL,
	"user_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "room_markers_room_id_user_id_pk" PRIMARY KEY("room_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "thread_follows" (
	"room_id" text NOT NULL,
	"root_event_id" text NOT NULL,
	"user_id" text NOT NULL,
	"following" boolean NOT NULL,
	CONSTRAINT "thread_follows_room_id_root_event_id_user_id_pk" PRIMARY KEY("room_id","root_event_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"room_id" text NOT NULL,
	"root_event_id" text NOT NULL,
	"reply_count" integer NOT NULL,
	"last_reply_at" timestamp (3) with time zone NOT NULL,
	"participant_ids" text[] NOT NULL,
	CONSTRAINT "threads_room_id_root_event_id_pk" PRIMARY KEY("room_id","root_event_id")
);
--> statement-breakpoint
CREATE INDEX "inbox_received" ON "inbox" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "line_members_user" ON "line_members" USING btree ("user_id") WHERE "line_members"."member";--> statement-breakpoint
CREATE INDEX "message_keys_created" ON "message_keys" USING brin ("created_at");--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "outbox" USING btree ("id") WHERE relayed_at is null;--> statement-breakpoint
CREATE INDEX "outbox_relayed" ON "outbox" USING btree ("relayed_at") WHERE relayed_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "room_events_event" ON "room_events" USING btree ("room_id","event_id");--> statement-breakpoint
CREATE INDEX "room_events_timeline" ON "room_events" USING btree ("room_id","seq") WHERE "room_events"."in_timeline";--> statement-breakpoint
CREATE INDEX "room_lines_universal" ON "room_lines" USING btree ("room_id") WHERE "room_lines"."universal";