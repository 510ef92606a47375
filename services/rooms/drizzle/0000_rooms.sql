CREATE TABLE "idempotent_calls" (
	"caller_id" text NOT NULL,
	"method" text NOT NULL,
	"key" text NOT NULL,
	"request_digest" "bytea" NOT NULL,
	"response" "bytea" NOT NULL,
	"room_id" text NOT NULL,
	"version" bigint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "idempotent_calls_caller_id_method_key_pk" PRIMARY KEY("caller_id","method","key")
);
--> statement-breakpoint
CREATE TABLE "inbox" (
	"consumer" text NOT NULL,
	"event_id" text NOT NULL,
	"received_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inbox_consumer_event_id_pk" PRIMARY KEY("consumer","event_id")
);
--> statement-breakpoint
CREATE TABLE "layout" (
	"id" text PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "layout_items" (
	"item_id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"group_id" text NOT NULL,
	"position" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lobby" (
	"id" text PRIMARY KEY NOT NULL,
	"group_id" text NOT NULL,
	"announcements_id" text NOT NULL,
	"general_id" text NOT NULL
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
CREATE TABLE "people" (
	"user_id" text PRIMARY KEY NOT NULL,
	"login" text NOT NULL,
	"display_name" text NOT NULL,
	"name_key" text NOT NULL,
	"role_ids" text[] NOT NULL,
	"deleted" boolean NOT NULL,
	"profile_version" bigint NOT NULL,
	"roles_version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projection_fills" (
	"name" text PRIMARY KEY NOT NULL,
	"filled_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "room_bans" (
	"room_id" text NOT NULL,
	"user_id" text NOT NULL,
	"id" text NOT NULL,
	"banned" boolean NOT NULL,
	"moderator_id" text NOT NULL,
	"reason" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"version" bigint NOT NULL,
	"since" timestamp with time zone NOT NULL,
	CONSTRAINT "room_bans_room_id_user_id_pk" PRIMARY KEY("room_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "room_facts" (
	"room_id" text NOT NULL,
	"version" bigint NOT NULL,
	"event_id" text NOT NULL,
	"fact" "bytea" NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"awaits_stream" boolean NOT NULL,
	"applied_at" timestamp with time zone,
	CONSTRAINT "room_facts_room_id_version_pk" PRIMARY KEY("room_id","version")
);
--> statement-breakpoint
CREATE TABLE "room_groups" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "room_members" (
	"room_id" text NOT NULL,
	"user_id" text NOT NULL,
	"member" boolean NOT NULL,
	"version" bigint NOT NULL,
	"since" timestamp with time zone NOT NULL,
	CONSTRAINT "room_members_room_id_user_id_pk" PRIMARY KEY("room_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "rooms" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" smallint NOT NULL,
	"version" bigint NOT NULL,
	"name" text NOT NULL,
	"name_key" text,
	"description" text NOT NULL,
	"group_id" text,
	"universal" boolean NOT NULL,
	"universal_ended_at" timestamp with time zone,
	"archived" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	CONSTRAINT "rooms_kind" CHECK ("rooms"."kind" in (1, 2)),
	CONSTRAINT "rooms_channel_has_name_and_group" CHECK (("rooms"."kind" = 1) = ("rooms"."name_key" is not null and "rooms"."group_id" is not null)),
	CONSTRAINT "rooms_dm_is_plain" CHECK ("rooms"."kind" = 1 or not ("rooms"."universal" or "rooms"."archived"))
);
--> statement-breakpoint
CREATE TABLE "sidebar_links" (
	"id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"url" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "layout_items" ADD CONSTRAINT "layout_items_group_id_room_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."room_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_bans" ADD CONSTRAINT "room_bans_room_id_rooms_id_fk" FOREIGN KEY ("room_id") REFERENCES "public"."rooms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_facts" ADD CONSTRAINT "room_facts_room_id_rooms_id_fk" FOREIGN KEY ("room_id") REFERENCES "public"."rooms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "room_members" ADD CONSTRAINT "room_members_room_id_rooms_id_fk" FOREIGN KEY ("room_id") REFERENCES "public"."rooms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rooms" ADD CONSTRAINT "rooms_group_id_room_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."room_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotent_calls_by_age" ON "idempotent_calls" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "inbox_received" ON "inbox" USING btree ("received_at");--> statement-breakpoint
CREATE INDEX "layout_items_by_group" ON "layout_items" USING btree ("group_id","position");--> statement-breakpoint
CREATE INDEX "outbox_waiting" ON "outbox" USING btree ("id") WHERE relayed_at is null;--> statement-breakpoint
CREATE INDEX "outbox_relayed" ON "outbox" USING btree ("relayed_at") WHERE relayed_at is not null;--> statement-breakpoint
CREATE INDEX "people_by_name" ON "people" USING btree ("name_key","login");--> statement-breakpoint
CREATE INDEX "room_bans_by_user" ON "room_bans" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "room_bans_expiring" ON "room_bans" USING btree ("expires_at") WHERE "room_bans"."banned";--> statement-breakpoint
CREATE INDEX "room_facts_left" ON "room_facts" USING btree ("room_id","version") WHERE "room_facts"."applied_at" is null;--> statement-breakpoint
CREATE INDEX "room_members_by_user" ON "room_members" USING btree ("user_id","member");--> statement-breakpoint
CREATE UNIQUE INDEX "rooms_name_key" ON "rooms" USING btree ("name_key");--> statement-breakpoint
CREATE INDEX "rooms_by_group" ON "rooms" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "rooms_universal" ON "rooms" USING btree ("id") WHERE "rooms"."universal" or "rooms"."universal_ended_at" is not null;