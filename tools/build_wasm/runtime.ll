; What the compiled functions need besides their own code: a call of a heuristic by its address, entry points for
; JavaScript, and the functions of Numba's runtime and of the C library that heuristics and searches call.

; Calls of JavaScript: the address of a compiled function, and its arguments as addresses and doubles, because 64-bit
; integers are slow to pass. The result is negative if the function raised an exception.

define i32 @isolarium_choose(i32 %function, i32 %inputs, double %quota) {
  %result = alloca i64, align 8
  %failure = alloca ptr, align 8
  %at = inttoptr i32 %function to ptr
  %inputs.word = zext i32 %inputs to i64
  %quota.word = fptosi double %quota to i64
  %status = call i32 %at(ptr %result, ptr %failure, i64 %inputs.word, i64 %quota.word)
  %raised = icmp ne i32 %status, 0
  %word = load i64, ptr %result, align 8
  %narrow = trunc i64 %word to i32
  %answer = select i1 %raised, i32 -1, i32 %narrow
  ret i32 %answer
}

define i32 @isolarium_winloss(i32 %function, i32 %table, i32 %state, i32 %frames, i32 %entries, i32 %mask, i32 %walks, double %nodes, double %steps) {
  %result = alloca i64, align 8
  %failure = alloca ptr, align 8
  %at = inttoptr i32 %function to ptr
  %a = zext i32 %table to i64
  %b = zext i32 %state to i64
  %c = zext i32 %frames to i64
  %d = zext i32 %entries to i64
  %e = zext i32 %mask to i64
  %f = zext i32 %walks to i64
  %g = fptosi double %nodes to i64
  %h = fptosi double %steps to i64
  %status = call i32 %at(ptr %result, ptr %failure, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h)
  %raised = icmp ne i32 %status, 0
  %word = load i64, ptr %result, align 8
  %narrow = trunc i64 %word to i32
  %answer = select i1 %raised, i32 -1, i32 %narrow
  ret i32 %answer
}

define i32 @isolarium_distance(i32 %function, i32 %table, i32 %state, i32 %frames, i32 %entries, i32 %mask, double %nodes) {
  %result = alloca i8, align 8
  %failure = alloca ptr, align 8
  %at = inttoptr i32 %function to ptr
  %a = zext i32 %table to i64
  %b = zext i32 %state to i64
  %c = zext i32 %frames to i64
  %d = zext i32 %entries to i64
  %e = zext i32 %mask to i64
  %f = fptosi double %nodes to i64
  %status = call i32 %at(ptr %result, ptr %failure, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f)
  %raised = icmp ne i32 %status, 0
  %byte = load i8, ptr %result, align 8
  %wide = zext i8 %byte to i32
  %answer = select i1 %raised, i32 -1, i32 %wide
  ret i32 %answer
}

define double @isolarium_value(i32 %function, i32 %table, i32 %parameters, i32 %blank, i32 %own, i32 %opp, i32 %turn) {
  %result = alloca double, align 8
  %failure = alloca ptr, align 8
  %at = inttoptr i32 %function to ptr
  %a = zext i32 %table to i64
  %b = zext i32 %parameters to i64
  %c = zext i32 %blank to i64
  %d = zext i32 %own to i64
  %e = zext i32 %opp to i64
  %f = trunc i32 %turn to i8
  %status = call i32 %at(ptr %result, ptr %failure, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i8 %f)
  %value = load double, ptr %result, align 8
  ret double %value
}

; The parts of a double. The callers pass positive normal numbers, and results of ldexp are normal.

define double @numba_frexp(double %x, ptr %exponent) alwaysinline {
  %bits = bitcast double %x to i64
  %shifted = lshr i64 %bits, 52
  %field = and i64 %shifted, 2047
  %narrow = trunc i64 %field to i32
  %power = sub i32 %narrow, 1022
  store i32 %power, ptr %exponent, align 4
  %kept = and i64 %bits, -9218868437227405313
  %mantissa.bits = or i64 %kept, 4602678819172646912
  %mantissa = bitcast i64 %mantissa.bits to double
  ret double %mantissa
}

define double @numba_ldexp(double %x, i32 %exponent) alwaysinline {
  %biased = add i32 %exponent, 1023
  %wide = zext i32 %biased to i64
  %bits = shl i64 %wide, 52
  %scale = bitcast i64 %bits to double
  %product = fmul double %x, %scale
  ret double %product
}

declare double @llvm.sqrt.f64(double)

define double @sqrt(double %x) alwaysinline {
  %root = call double @llvm.sqrt.f64(double %x)
  ret double %root
}

; Arrays of Numba. A heuristic frees its arrays before it returns, so all memory is free when no array is left.

@arena = internal global [16384 x i8] zeroinitializer, align 32
@arena_used = internal global i32 0
@arena_live = internal global i32 0

declare void @llvm.trap()

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %used = load i32, ptr @arena_used
  %narrow = trunc i64 %size to i32
  %padded = add i32 %narrow, 95
  %needed = and i32 %padded, -32
  %then = add i32 %used, %needed
  %full = icmp ugt i32 %then, 16384
  br i1 %full, label %fail, label %room
fail:
  call void @llvm.trap()
  unreachable
room:
  store i32 %then, ptr @arena_used
  %live = load i32, ptr @arena_live
  %more = add i32 %live, 1
  store i32 %more, ptr @arena_live
  %about = getelementptr i8, ptr @arena, i32 %used
  store i64 1, ptr %about, align 8
  %data = getelementptr i8, ptr %about, i32 64
  %pointer = getelementptr i8, ptr %about, i32 24
  store ptr %data, ptr %pointer, align 8
  ret ptr %about
}

define void @NRT_incref(ptr %about) {
  %none = icmp eq ptr %about, null
  br i1 %none, label %done, label %count
count:
  %references = load i64, ptr %about, align 8
  %more = add i64 %references, 1
  store i64 %more, ptr %about, align 8
  br label %done
done:
  ret void
}

define void @NRT_decref(ptr %about) {
  %none = icmp eq ptr %about, null
  br i1 %none, label %done, label %count
count:
  %references = load i64, ptr %about, align 8
  %fewer = sub i64 %references, 1
  store i64 %fewer, ptr %about, align 8
  %unused = icmp eq i64 %fewer, 0
  br i1 %unused, label %free, label %done
free:
  %live = load i32, ptr @arena_live
  %left = sub i32 %live, 1
  store i32 %left, ptr @arena_live
  %last = icmp eq i32 %left, 0
  br i1 %last, label %reset, label %done
reset:
  store i32 0, ptr @arena_used
  br label %done
done:
  ret void
}

; A shift of 128 bits to the right by 0 to 127, as the compiler calls it.

@llvm.compiler.used = appending global [1 x ptr] [ptr @__lshrti3], section "llvm.metadata"

define void @__lshrti3(ptr %result, i64 %low, i64 %high, i32 %by) {
  %amount = zext i32 %by to i64
  %far = icmp uge i64 %amount, 64
  %within = and i64 %amount, 63
  %top = lshr i64 %high, %within
  %joined = call i64 @llvm.fshr.i64(i64 %high, i64 %low, i64 %within)
  %first = select i1 %far, i64 %top, i64 %joined
  %second = select i1 %far, i64 0, i64 %top
  store i64 %first, ptr %result, align 8
  %next = getelementptr i8, ptr %result, i32 8
  store i64 %second, ptr %next, align 8
  ret void
}

declare i64 @llvm.fshr.i64(i64, i64, i64)
