; The queries of global_avg_pool2d, in SMT-LIB 2. Each is answered on its own.

; query 1, z3: sat
; requires H ≥ 1
; requires W ≥ 1
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(assert (>= |0| 1))
(assert (not (>= |1| 1)))
(assert (>= |2| 0))
(assert (>= |1| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ 1 (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ 1 (- 1))))
(assert (not (not (= |1| 0))))
(check-sat)

; query 2, z3: unsat, cvc5: unsat
; requires H ≥ 1
; requires W ≥ 1
; forward: divisors and logarithms
; jvp: divisors and logarithms
; vjp x_bar: divisors and logarithms
; gradient mass is kept
; k = n pooling: forward
; k = n pooling: JVP
; k = n pooling: VJP
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (not (= |0| 0))))
(check-sat)

; query 3, z3: unsat, cvc5: unsat
; forward: reads and writes
; jvp: reads and writes
; vjp x_bar: reads and writes
; gradient mass is kept
; k = n pooling: forward
; k = n pooling: JVP
; k = n pooling: VJP
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 4, z3: unsat, cvc5: unsat
; forward: reads and writes
; jvp: reads and writes
; gradient mass is kept
; k = n pooling: VJP
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (< |1| |0|)))
(check-sat)

; query 5, z3: unsat, cvc5: unsat
; vjp x_bar: reads and writes
; gradient mass is kept
; k = n pooling: VJP
; adaptive with m = 1: VJP
(reset)
(assert (not (<= 0 0)))
(check-sat)

; query 6, z3: unsat, cvc5: unsat
; vjp x_bar: reads and writes
; gradient mass is kept
(reset)
(assert (not (< 0 1)))
(check-sat)

; query 7, z3: unsat, cvc5: unsat
; output size at least 1
; k = n pooling: VJP
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
; adaptive with m = 1: VJP
(reset)
(assert (not (>= 1 1)))
(check-sat)

; query 8, z3: unsat, cvc5: unsat
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |0| |1|))
(assert (not (= |1| |0|)))
(check-sat)

; query 9, z3: unsat, cvc5: unsat
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (not (= 0 |0|)))
(check-sat)

; query 10, z3: unsat, cvc5: unsat
; vjp x_bar
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= 0 |1|))
(assert (= |1| |0|))
(assert (not (= |0| |1|)))
(check-sat)

; query 11, z3: sat
; gradient mass is kept
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |3| () Int)
(declare-fun |4| () Int)
(declare-fun |5| () Int)
(assert (>= |0| 1))
(assert (>= |1| 1))
(assert (>= |2| 0))
(assert (<= 0 |3|))
(assert (<= |3| (+ |2| (- 1))))
(assert (<= 0 |4|))
(assert (<= |4| (+ |0| (- 1))))
(assert (<= 0 |5|))
(assert (<= |5| (+ |1| (- 1))))
(assert (not false))
(check-sat)

; query 12, z3: unsat, cvc5: unsat
; gradient mass is kept
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (= (ite (>= 0 (+ (+ |0| (- 1)) (* (- 1) 0) 1)) 0 (+ (+ |0| (- 1)) (* (- 1) 0) 1)) |0|)))
(check-sat)

; query 13, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (not (< |0| 1)))
(check-sat)

; query 14, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (<= 0 |1|))
(assert (not (<= 0 (+ (* 1 |0|) |1| (* (- 1) 0)))))
(check-sat)

; query 15, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (< (+ (* 1 |1|) |2| (* (- 1) 0)) |0|)))
(check-sat)

; query 16, z3: unsat, cvc5: unsat
; k = n pooling: forward
; k = n pooling: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (<= 0 |0|))
(assert (<= |0| 0))
(assert (<= 0 |1|))
(assert (not (= |1| (+ (* 1 |0|) |1| (* (- 1) 0)))))
(check-sat)

; query 17, z3: unsat, cvc5: unsat
; k = n pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (<= (ite (>= 0 (- |quotient 1|)) 0 (- |quotient 1|)) |2|))
(assert (<= |2| (ite (<= |quotient 2| |quotient 3|) |quotient 2| |quotient 3|)))
(assert (not (<= 0 |2|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (+ |1| 0 (* (- 1) |0|) 1))) (< (- (+ |1| 0 (* (- 1) |0|) 1)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (+ |1| 0 (* (- 1) |0|) 1))) (> (- (+ |1| 0 (* (- 1) |0|) 1)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (+ |0| (* 2 0) (* (- 1) |0|))) (< (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (+ |0| (* 2 0) (* (- 1) |0|))) (> (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (+ |1| 0)) (< (+ |1| 0) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (+ |1| 0)) (> (+ |1| 0) (+ (* 1 |quotient 3|) 1)))))
(check-sat)

; query 18, z3: unsat, cvc5: unsat
; k = n pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(declare-fun |quotient 3| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (<= (ite (>= 0 (- |quotient 1|)) 0 (- |quotient 1|)) |2|))
(assert (<= |2| (ite (<= |quotient 2| |quotient 3|) |quotient 2| |quotient 3|)))
(assert (not (< |2| 1)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (+ |1| 0 (* (- 1) |0|) 1))) (< (- (+ |1| 0 (* (- 1) |0|) 1)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (+ |1| 0 (* (- 1) |0|) 1))) (> (- (+ |1| 0 (* (- 1) |0|) 1)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (+ |0| (* 2 0) (* (- 1) |0|))) (< (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (+ |0| (* 2 0) (* (- 1) |0|))) (> (+ |0| (* 2 0) (* (- 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 3|) (+ |1| 0)) (< (+ |1| 0) (+ (* 1 |quotient 3|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 3|) (+ |1| 0)) (> (+ |1| 0) (+ (* 1 |quotient 3|) 1)))))
(check-sat)

; query 19, z3: unsat, cvc5: unsat
; k = n pooling: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (<= (+ |1| 0 (* (- 1) |0|) 1) (* 1 0))))
(check-sat)

; query 20, z3: unsat, cvc5: unsat
; k = n pooling: VJP
(reset)
(declare-fun |0| () Int)
(assert (>= |0| 1))
(assert (not (<= (* 1 0) (+ |0| (* 2 0) (* (- 1) |0|)))))
(check-sat)

; query 21, z3: unsat, cvc5: unsat
; k = n pooling: VJP
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (not (<= (* 1 0) (+ |0| 0))))
(check-sat)

; query 22, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= |quotient 1| |2|))
(assert (<= |2| (+ (- |quotient 2|) (- 1))))
(assert (not (<= 0 |2|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 23, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= |quotient 1| |2|))
(assert (<= |2| (+ (- |quotient 2|) (- 1))))
(assert (not (< |2| |0|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 24, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (not (not (= (+ (- |quotient 1|) (* (- 1) |quotient 2|)) 0))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 25, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (<= |quotient 1| |2|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 26, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= 0 |2|))
(assert (<= |2| (+ |0| (- 1))))
(assert (not (<= |2| (+ (- |quotient 1|) (- 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 27, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |2| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (<= |quotient 1| |2|))
(assert (<= |2| (+ (- |quotient 2|) (- 1))))
(assert (not (<= |2| (+ |0| (- 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 28, z3: unsat, cvc5: unsat
; adaptive with m = 1: forward
; adaptive with m = 1: JVP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| 0))
(assert (not (= |0| (+ (- |quotient 1|) (* (- 1) |quotient 2|)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 29, z3: unsat, cvc5: unsat
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(assert (>= |0| 0))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (= |1| |1|))
(assert (not (< |1| |0|)))
(check-sat)

; query 30, z3: unsat, cvc5: unsat
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(assert (<= 0 |0|))
(assert (<= |0| (+ 1 (- 1))))
(assert (not (< |0| 1)))
(check-sat)

; query 31, z3: unsat, cvc5: unsat
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ 1 (- 1))))
(assert (not (not (= (+ (- |quotient 1|) (* (- 1) |quotient 2|)) 0))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (< (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (* (+ |1| 1) |0|))) (> (- (* (+ |1| 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (* |1| |0|)) (< (* |1| |0|) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (* |1| |0|)) (> (* |1| |0|) (+ (* 1 |quotient 2|) 1)))))
(check-sat)

; query 32, z3: unsat, cvc5: unsat
; adaptive with m = 1: VJP
(reset)
(assert (not (<= 0 (+ 1 (- 1)))))
(check-sat)

; query 33, z3: unsat, cvc5: unsat
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (<= |quotient 1| |1|)))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (* 0 |0|)) (< (* 0 |0|) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (* 0 |0|)) (> (* 0 |0|) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 34, z3: unsat, cvc5: unsat
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |1| () Int)
(declare-fun |quotient 1| () Int)
(assert (>= |0| 1))
(assert (<= 0 |1|))
(assert (<= |1| (+ |0| (- 1))))
(assert (not (<= |1| (+ (- |quotient 1|) (- 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (* (+ 0 1) |0|))) (< (- (* (+ 0 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (* (+ 0 1) |0|))) (> (- (* (+ 0 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(check-sat)

; query 35, z3: unsat, cvc5: unsat
; adaptive with m = 1: VJP
(reset)
(declare-fun |0| () Int)
(declare-fun |quotient 1| () Int)
(declare-fun |quotient 2| () Int)
(assert (>= |0| 1))
(assert (not (= |0| (+ (- |quotient 1|) (* (- 1) |quotient 2|)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 1|) (- (* (+ 0 1) |0|))) (< (- (* (+ 0 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 1|) (- (* (+ 0 1) |0|))) (> (- (* (+ 0 1) |0|)) (+ (* 1 |quotient 1|) 1)))))
(assert (=> (> 1 0) (and (<= (* 1 |quotient 2|) (* 0 |0|)) (< (* 0 |0|) (+ (* 1 |quotient 2|) 1)))))
(assert (=> (< 1 0) (and (>= (* 1 |quotient 2|) (* 0 |0|)) (> (* 0 |0|) (+ (* 1 |quotient 2|) 1)))))
(check-sat)
