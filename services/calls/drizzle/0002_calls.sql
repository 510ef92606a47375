CREATE TABLE "call_keys" (
	"caller_id" text NOT NULL,
	"key" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "call_keys_caller_id_key_pk" PRIMARY KEY("caller_id","key")
);
--> statement-breakpoint
CREATE TABLE "call_participants" (
	"call_id" text NOT NULL,
	"user_id" text NOT NULL,
	"joined_at" timestamp with time zone NOT NULL,
	"left_at" timestamp with time zone,
	"source" text NOT NULL,
	"awaited_since" timestamp with time zone,
	"connection_sid" text NOT NULL,
	"media_room_sid" text NOT NULL,
	"connected_at" bigint NOT NULL,
	"disconnected" boolean NOT NULL,
	"revision" integer NOT NULL,
	CONSTRAINT "call_participants_call_id_user_id_pk" PRIMARY KEY("call_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "calls" (
	"id" text PRIMARY KEY NOT NULL,
	"room_id" text NOT NULL,
	"dm" boolean NOT NULL,
	"version" bigint NOT NULL,
	"e2ee_key" "bytea",
	"started_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"closed_media_rooms" text[] NOT NULL,
	CONSTRAINT "calls_key_is_dropped" CHECK (("calls"."ended_at" is null) = ("calls"."e2ee_key" is not null))
);
--> statement-breakpoint
CREATE TABLE "handover_leases" (
	"room_id" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "handovers" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"room_id" text NOT NULL,
	"payload" "bytea" NOT NULL,
	"refusals" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "media_chores" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"media_room" text NOT NULL,
	"user_id" text,
	"created_at" timestamp with time zone NOT NULL,
	"due_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "turns" (
	"task" text PRIMARY KEY NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"failures" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "call_participants" ADD CONSTRAINT "call_participants_call_id_calls_id_fk" FOREIGN KEY ("call_id") REFERENCES "public"."calls"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "call_keys_age" ON "call_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "call_participants_user" ON "call_participants" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "calls_active" ON "calls" USING btree ("room_id") WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX "calls_ended" ON "calls" USING btree ("ended_at") WHERE ended_at is not null;--> statement-breakpoint
CREATE INDEX "handovers_room" ON "handovers" USING btree ("room_id","id");--> statement-breakpoint
CREATE INDEX "media_chores_due" ON "media_chores" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "webhooks_age" ON "webhooks" USING btree ("received_at");